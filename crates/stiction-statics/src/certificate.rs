//! Certificates of answers.

use crate::assembly::{Assembly, InterfaceSource};
use crate::margin::Margin;
use crate::statics::Statics;
use crate::verdict::Answer;
use stiction_check::{Certificate, FORMAT, digest};

impl Statics {
    /// The certificate of a verdict and margins.
    pub fn certificate(
        &self,
        assembly: &Assembly,
        answer: &Answer,
        margins: &[Margin],
    ) -> Certificate {
        let mut claims = answer.claims.clone();
        let margins = margins.iter().map(|margin| margin.bracket(&mut claims)).collect();
        let mut certificate = Certificate {
            format: FORMAT.into(),
            name: assembly.name.clone(),
            verdict: answer.verdict.name().into(),
            gap: match assembly.source {
                InterfaceSource::Detected(tolerance) => Some(tolerance.gap),
                InterfaceSource::Given => None,
            },
            model: self.model.clone(),
            claims,
            margins,
            digest: String::new(),
        };
        certificate.digest = digest(&certificate);
        certificate
    }
}
