//! Pure attribution: ceilings, roofline residuals, evidence and the verdict.
