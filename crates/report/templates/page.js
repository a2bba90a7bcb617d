(function () {
  var box = document.createElement("div");
  box.id = "readout";
  box.hidden = true;
  document.body.appendChild(box);
  document.querySelectorAll(".hit").forEach(function (hit) {
    var title = hit.querySelector("title"), text = title.textContent;
    title.remove();
    hit.setAttribute("aria-label", text);
    hit.addEventListener("pointermove", function (e) {
      box.textContent = text;
      box.hidden = false;
      var right = e.pageX + 14, room = document.documentElement.clientWidth - box.offsetWidth - 8;
      box.style.left = Math.max(8, Math.min(right, room)) + "px";
      box.style.top = e.pageY + 16 + "px";
    });
    hit.addEventListener("pointerleave", function () { box.hidden = true; });
  });
})();
