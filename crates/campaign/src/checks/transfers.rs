//! Did every I/O do what it was to do, and did the data come back?

use fathom_record::{Check, CheckName, Outcome};

use super::Evidence;

pub fn errors(evidence: &Evidence<'_>) -> Check {
    const NAME: CheckName = CheckName::Errors;
    if evidence.errors == 0 {
        return Check::plain(NAME, Outcome::Pass, "No I/O failed.");
    }
    let first =
        evidence.first_failures.first().map_or(String::new(), |failure| format!(" First: {failure}."));
    let text = format!("{} I/Os failed; they are in no latency and no rate.{first}", evidence.errors);
    Check::figure(NAME, Outcome::Fail, (evidence.errors as f64, 0.0), "operations", text)
}

pub fn short(evidence: &Evidence<'_>) -> Check {
    const NAME: CheckName = CheckName::ShortTransfers;
    if evidence.short == 0 {
        return Check::plain(NAME, Outcome::Pass, "Every I/O moved all of its bytes.");
    }
    let text = format!("{} I/Os moved fewer bytes than asked, as at the end of a file.", evidence.short);
    Check::figure(NAME, Outcome::Fail, (evidence.short as f64, 0.0), "operations", text)
}

pub fn verification(evidence: &Evidence<'_>) -> Check {
    const NAME: CheckName = CheckName::Verification;
    let Some(report) = evidence.verified else {
        return Check::plain(NAME, Outcome::NotApplicable, "Content was not checked.");
    };
    let open = match report.uncertain + report.unread {
        0 => String::new(),
        count => format!(
            " {count} blocks were not judged: their write failed, was under way, or they could not be read."
        ),
    };
    if report.corrupt > 0 {
        let first = report.findings.first().map_or(String::new(), |finding| format!(" First: {finding}."));
        let text = format!(
            "{} of {} blocks did not hold what was written.{first}{open}",
            report.corrupt, report.checked
        );
        return Check::figure(NAME, Outcome::Fail, (report.corrupt as f64, 0.0), "blocks", text);
    }
    if report.unread > 0 {
        let text = format!("{} blocks could not be read back.{open}", report.unread);
        return Check::figure(NAME, Outcome::Fail, (report.unread as f64, 0.0), "blocks", text);
    }
    let text = format!(
        "{} blocks were read back and held what was written; {} were not stamped.{open}",
        report.checked, report.not_stamped
    );
    Check::figure(NAME, Outcome::Pass, (0.0, 0.0), "blocks", text)
}
