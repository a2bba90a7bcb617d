//! Any text is the name of a namespace on the network, which prints as a name that is read as the same, or is refused
//! with advice.
#![no_main]

use fathom_fabric::namespace_url::{FabricName, host_and_port, place};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    for text in [text.as_ref(), &format!("nvme+tcp://{text}"), &format!("nvme+tcp://h/n{text}")] {
        match text.parse::<FabricName>() {
            Ok(name) => {
                let printed = name.to_string();
                assert_eq!(printed.parse().as_ref(), Ok(&name), "{printed}");
                assert!(!printed.chars().any(char::is_control), "{printed:?}");
            }
            Err(refused) => assert!(!refused.cause.is_empty() && !refused.remedy.is_empty()),
        }
    }
    if let Ok((host, port)) = host_and_port(&text, 4420) {
        assert!(port > 0 && !host.starts_with('-'));
        assert_eq!(host_and_port(&place(&host, port), 1), Ok((host, port)));
    }
});
