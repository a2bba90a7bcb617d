//! The evaluations that the program holds: five that were published, with their methods.

/// An evaluation that the program holds.
#[derive(Clone, Copy, Debug)]
pub struct HeldEvaluation {
    /// What it is called.
    pub name: &'static str,
    /// Its table.
    pub text: &'static str,
}

/// All of them.
pub const HELD: [HeldEvaluation; 5] = [
    HeldEvaluation {
        name: "bdevperf-one-core",
        text: include_str!("../../../evaluations/bdevperf-one-core.toml"),
    },
    HeldEvaluation {
        name: "gp3-vs-local-nvme",
        text: include_str!("../../../evaluations/gp3-vs-local-nvme.toml"),
    },
    HeldEvaluation {
        name: "nvmeof-initiators",
        text: include_str!("../../../evaluations/nvmeof-initiators.toml"),
    },
    HeldEvaluation {
        name: "windows-arm-ebs",
        text: include_str!("../../../evaluations/windows-arm-ebs.toml"),
    },
    HeldEvaluation {
        name: "windows-native-nvme",
        text: include_str!("../../../evaluations/windows-native-nvme.toml"),
    },
];
