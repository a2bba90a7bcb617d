(function () {
  var box = document.createElement("div");
  box.id = "readout";
  box.hidden = true;
  box.setAttribute("role", "status");
  document.body.appendChild(box);
  function show(text, x, y) {
    box.textContent = text;
    box.hidden = false;
    var room = document.documentElement.clientWidth - box.offsetWidth - 8;
    box.style.left = Math.max(8, Math.min(x + 14, room)) + "px";
    box.style.top = y + 16 + "px";
  }
  function hide() { box.hidden = true; }
  document.querySelectorAll("svg.chart").forEach(function (chart) {
    var hits = Array.prototype.slice.call(chart.querySelectorAll(".hit")), at = -1;
    var texts = hits.map(function (hit) {
      var title = hit.querySelector("title"), text = title.textContent;
      title.remove();
      hit.addEventListener("pointermove", function (e) { show(text, e.pageX, e.pageY); });
      hit.addEventListener("pointerleave", hide);
      return text;
    });
    if (!hits.length) return;
    function tell(next) {
      if (at >= 0) hits[at].classList.remove("told");
      at = next;
      if (at < 0) return hide();
      var r = hits[at].getBoundingClientRect();
      hits[at].classList.add("told");
      show(texts[at], r.left + r.width / 2 + window.scrollX, r.top + r.height / 2 + window.scrollY);
    }
    chart.setAttribute("tabindex", "0");
    chart.setAttribute("aria-label", chart.getAttribute("aria-label") + ". Arrow keys read its values.");
    chart.addEventListener("keydown", function (e) {
      var step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
      if (e.key === "Escape") tell(-1);
      if (!step) return;
      e.preventDefault();
      tell(at < 0 ? (step > 0 ? 0 : hits.length - 1) : (at + step + hits.length) % hits.length);
    });
    chart.addEventListener("blur", function () { tell(-1); });
  });
  function button(words, before, act) {
    var made = document.createElement("button");
    made.type = "button";
    made.className = "tool";
    made.textContent = words;
    made.addEventListener("click", function () { act(made); });
    before.parentNode.insertBefore(made, before);
  }
  document.querySelectorAll("pre").forEach(function (pre) {
    button("Copy", pre, function (made) {
      var done = function () { made.textContent = "Copied"; };
      if (navigator.clipboard) return navigator.clipboard.writeText(pre.textContent).then(done);
      var range = document.createRange();
      range.selectNodeContents(pre);
      var chosen = getSelection();
      chosen.removeAllRanges();
      chosen.addRange(range);
      if (document.execCommand("copy")) done();
    });
  });
  function save(blob, name) {
    var link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(function () { URL.revokeObjectURL(link.href); }, 1000);
  }
  function csv(table) {
    return Array.prototype.map.call(table.rows, function (row) {
      return Array.prototype.map.call(row.cells, function (cell) {
        var text = cell.textContent;
        return /[",\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
      }).join(",");
    }).join("\r\n") + "\r\n";
  }
  document.querySelectorAll(".scroll>table").forEach(function (table, number) {
    if (table.rows.length < 3) return;
    button("CSV", table.parentNode.nextSibling, function () {
      save(new Blob([csv(table)], { type: "text/csv" }), "fathom-table-" + (number + 1) + ".csv");
    });
  });
  var record = document.getElementById("record"), title = document.querySelector("h1");
  if (record && title && window.DecompressionStream) button("All data (JSON)", title, function () {
    var bytes = Uint8Array.from(atob(record.textContent), function (c) { return c.charCodeAt(0); });
    var plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    new Response(plain).blob().then(function (blob) { save(blob, record.dataset.name); });
  });
  function open() {
    var target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    for (var part = target; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
  }
  window.addEventListener("hashchange", open);
  open();
})();
