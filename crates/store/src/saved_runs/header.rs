//! What the store keeps of a record as JSON: all of it but its environment, with empty series.

use fathom_record::ClientsFacts;
use fathom_record::expectation::Expectation;
use fathom_record::facts::{ClockRecord, EngineFacts, TargetFacts};
use fathom_record::run_record::{
    CampaignLink, JobSummary, Ledger, PrioritySummary, ReadBack, RunEnding, Summary, TargetSummary, Tool,
};
use fathom_record::telemetry::Telemetry;
use fathom_record::{
    Check, Interval, KnownCeiling, RecordOrigin, RunRecord, Standstill, WallFacts, Witness, Workload,
};
use serde::Serialize;

/// The fields of a record, borrowed: it reads as a record once an environment is put beside them.
#[derive(Serialize)]
pub(crate) struct Header<'a> {
    format: &'a str,
    version: u32,
    id: &'a str,
    started_at: &'a str,
    tool: &'a Tool,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<&'a RecordOrigin>,
    campaign: Option<&'a CampaignLink>,
    workload: &'a Workload,
    target: &'a TargetFacts,
    engine: &'a EngineFacts,
    clock: Option<&'a ClockRecord>,
    checks: &'a [Check],
    ending: &'a RunEnding,
    summary: &'a Summary,
    jobs: &'a [JobSummary],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    targets: &'a [TargetSummary],
    ledger: &'a Ledger,
    intervals: [Interval; 0],
    telemetry: Telemetry,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    ceilings: &'a [KnownCeiling],
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<&'a Witness>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    priorities: &'a [PrioritySummary],
    #[serde(skip_serializing_if = "Option::is_none")]
    wall: Option<&'a WallFacts>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    standstills: &'a [Standstill],
    #[serde(skip_serializing_if = "Option::is_none")]
    read_back: Option<&'a ReadBack>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clients: Option<&'a ClientsFacts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expectation: Option<&'a Expectation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<&'a str>,
    notes: &'a [String],
}

impl<'a> Header<'a> {
    pub(crate) fn of(record: &'a RunRecord) -> Self {
        // Taken apart by name, so that a new field of the record cannot be forgotten here.
        let RunRecord {
            format,
            version,
            id,
            started_at,
            tool,
            origin,
            campaign,
            workload,
            target,
            engine,
            clock,
            checks,
            ending,
            summary,
            jobs,
            targets,
            ledger,
            intervals: _,
            telemetry: _,
            environment: _,
            ceilings,
            witness,
            priorities,
            wall,
            standstills,
            read_back,
            clients,
            expectation,
            command,
            notes,
        } = record;
        Self {
            format,
            version: *version,
            id,
            started_at,
            tool,
            origin: origin.as_ref(),
            campaign: campaign.as_ref(),
            workload,
            target,
            engine,
            clock: clock.as_ref(),
            checks,
            ending,
            summary,
            jobs,
            targets,
            ledger,
            intervals: [],
            telemetry: Telemetry::default(),
            ceilings,
            witness: witness.as_ref(),
            priorities,
            wall: wall.as_deref(),
            standstills,
            read_back: read_back.as_deref(),
            clients: clients.as_deref(),
            expectation: expectation.as_deref(),
            command: command.as_deref(),
            notes,
        }
    }
}

#[cfg(test)]
mod tests {
    use fathom_record::environment_facts::Environment;
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_header_is_the_record_without_its_environment_and_series() {
        let record = fathom_record::parse_run(include_bytes!("../../tests/golden/run-1.json")).unwrap();
        let written = serde_json::to_value(Header::of(&record)).unwrap();
        let bare = RunRecord {
            intervals: Vec::new(),
            telemetry: Telemetry::default(),
            environment: Environment::default(),
            ..record
        };
        let mut expected = serde_json::to_value(bare).unwrap();
        expected.as_object_mut().unwrap().remove("environment");
        assert!(expected.as_object().is_some_and(|fields| fields.len() > 15));
        assert_eq!(written, expected);
    }

    #[test]
    fn parts_that_are_absent_are_left_out_as_in_a_record() {
        let json = include_bytes!("../../tests/golden/run-1.json");
        let mut record = fathom_record::parse_run(json).unwrap();
        (record.origin, record.witness) = (None, None);
        (record.targets, record.ceilings, record.priorities) = (Vec::new(), Vec::new(), Vec::new());
        let written = serde_json::to_value(Header::of(&record)).unwrap();
        for field in ["origin", "witness", "targets", "ceilings", "priorities"] {
            assert_eq!(written.get(field), None::<&Value>, "{field}");
        }
    }
}
