//! Puts devices on instances: those of one group share a limit.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use super::SimDevice;
use super::limit::Limits;
use crate::parameters::{Instance, SimParameters};
use fathom_record::error::{EngineError as Error, ErrorKind};
use fathom_record::options::{ByteLimit, OperationLimit};

/// The instances of one simulation, by group.
#[derive(Debug, Default)]
pub struct SimHost {
    groups: HashMap<String, (Instance, Arc<Mutex<Limits>>)>,
}

impl SimHost {
    /// A device whose instance's limit is shared with earlier devices of the same group.
    ///
    /// # Errors
    /// When the parameters contradict each other, or the group was given other limits before.
    pub fn device(&mut self, parameters: SimParameters) -> Result<SimDevice, Error> {
        parameters.validate()?;
        let shared = match &parameters.instance {
            None => None,
            Some(instance) => Some(self.limits_of(instance)?),
        };
        Ok(SimDevice::on_instance(parameters, shared))
    }

    fn limits_of(&mut self, instance: &Instance) -> Result<Arc<Mutex<Limits>>, Error> {
        let (known, limits) = self.groups.entry(instance.group.clone()).or_insert_with(|| {
            let limits = Limits::new(instance.operations, instance.throughput);
            (instance.clone(), Arc::new(Mutex::new(limits)))
        });
        // What is left of a burst is the instance's state, of which the first device tells.
        if full(known) == full(instance) {
            return Ok(Arc::clone(limits));
        }
        Err(Error::new(
            ErrorKind::Plan,
            format!("putting a simulated device on instance `{}`", instance.group),
            "another device of this run gives the same instance other limits",
        )
        .with_remedy("give both the same instance-... values, or another name with instance=NAME"))
    }
}

/// The same limits with their buckets full.
fn full(instance: &Instance) -> Instance {
    let operations = instance
        .operations
        .map(|limit| OperationLimit { balance_operations: limit.bucket_operations, ..limit });
    let throughput =
        instance.throughput.map(|limit| ByteLimit { balance_bytes: limit.bucket_bytes, ..limit });
    Instance { group: instance.group.clone(), operations, throughput }
}
