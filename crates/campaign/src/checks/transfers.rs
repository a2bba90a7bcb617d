//! Did every I/O do what it was to do, and did the data come back?

use fathom_record::{Check, CheckName, CheckOutcome};

use super::CheckEvidence;

pub fn errors(evidence: &CheckEvidence<'_>) -> Check {
    const NAME: CheckName = CheckName::Errors;
    if evidence.errors == 0 {
        return Check::plain(NAME, CheckOutcome::Pass, "No I/O failed.");
    }
    let first =
        evidence.first_failures.first().map_or(String::new(), |failure| format!(" First: {failure}."));
    let text = format!("{} I/Os failed; they are in no latency and no rate.{first}", evidence.errors);
    Check::figure(NAME, CheckOutcome::Fail, (evidence.errors as f64, 0.0), "operations", text)
}

pub fn short(evidence: &CheckEvidence<'_>) -> Check {
    const NAME: CheckName = CheckName::ShortTransfers;
    if evidence.short == 0 {
        return Check::plain(NAME, CheckOutcome::Pass, "Every I/O transferred all of its bytes.");
    }
    let text =
        format!("{} I/Os transferred fewer bytes than asked, e.g. at the end of a file.", evidence.short);
    Check::figure(NAME, CheckOutcome::Fail, (evidence.short as f64, 0.0), "operations", text)
}

pub fn verification(evidence: &CheckEvidence<'_>) -> Check {
    const NAME: CheckName = CheckName::Verification;
    let Some(report) = evidence.verified else {
        return Check::plain(NAME, CheckOutcome::NotApplicable, "Content was not checked.");
    };
    let open = match report.uncertain + report.unread {
        0 => String::new(),
        count => format!(
            " {count} blocks were not judged: their write failed, was under way or overlapped another, or they could \
             not be read."
        ),
    };
    if report.corrupt > 0 {
        let first = report.findings.first().map_or(String::new(), |finding| format!(" First: {finding}."));
        let text = format!(
            "{} of {} blocks did not hold what was written.{first}{open}",
            report.corrupt, report.checked
        );
        return Check::figure(NAME, CheckOutcome::Fail, (report.corrupt as f64, 0.0), "blocks", text);
    }
    if report.unread > 0 {
        let text = format!("{} blocks could not be read back.{open}", report.unread);
        return Check::figure(NAME, CheckOutcome::Fail, (report.unread as f64, 0.0), "blocks", text);
    }
    if report.checked + report.not_stamped + report.partial + report.uncertain == 0 {
        let text =
            "Nothing was read. What was written carries stamps: read it with --verify=on-read to check it.";
        return Check::plain(NAME, CheckOutcome::NotApplicable, text);
    }
    if report.checked == 0 {
        let text = format!(
            "Nothing was verified: none of the blocks that were read carries a stamp. Write them first with \
             --verify.{open}"
        );
        return Check::plain(NAME, CheckOutcome::Caution, text);
    }
    let checked = format!("{} blocks were read back and held what was written", report.checked);
    // A run that writes meets blocks from before it; one that only reads is there to find lost ones.
    if report.not_stamped > 0 && evidence.workload.mix.read_share >= 1.0 {
        let text = format!(
            "{checked}, but {} carry no stamp: they were never written with --verify, or their stamp was lost.{open}",
            report.not_stamped
        );
        return Check::figure(NAME, CheckOutcome::Caution, (report.not_stamped as f64, 0.0), "blocks", text);
    }
    let text = format!("{checked}; {} were not stamped.{open}", report.not_stamped);
    Check::figure(NAME, CheckOutcome::Pass, (0.0, 0.0), "blocks", text)
}
