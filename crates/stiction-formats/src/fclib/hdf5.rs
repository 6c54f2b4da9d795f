//! The subset of HDF5 that is needed, with error messages that name the dataset.

use stiction_contact::file::FileError;

/// An open file and its name.
pub(super) struct Hdf5<'a> {
    file: hdf5_pure::File,
    /// Size of the file (bytes): no dataset can be larger, unless compressed.
    bytes: u64,
    name: &'a str,
}

/// Largest ratio of a dataset's size to its stored size (deflate reaches about a thousand):
/// bounds the memory that a damaged header can demand.
const MOST_COMPRESSION: u64 = 1100;

impl<'a> Hdf5<'a> {
    pub(super) fn new(bytes: Vec<u8>, name: &'a str) -> Result<Self, FileError> {
        let length = bytes.len() as u64;
        let file = hdf5_pure::File::from_bytes(bytes).map_err(|error| FileError::Dataset {
            file: name.to_owned(),
            dataset: "/".into(),
            message: format!("is not a readable HDF5 file: {error}"),
        })?;
        Ok(Hdf5 { file, bytes: length, name })
    }

    /// An error about a dataset or group.
    pub(super) fn fault(&self, dataset: &str, message: String) -> FileError {
        FileError::Dataset { file: self.name.to_owned(), dataset: dataset.to_owned(), message }
    }

    pub(super) fn has(&self, group: &str) -> bool {
        self.file.group(group).is_ok()
    }

    fn dataset(&self, place: &str) -> Result<hdf5_pure::Dataset, FileError> {
        let fail = |error: hdf5_pure::Error| self.fault(place, format!("cannot be read: {error}"));
        let dataset = self.file.dataset(place).map_err(fail)?;
        let shape = dataset.shape().map_err(fail)?;
        let entries = shape.iter().try_fold(1_u64, |n, &k| n.checked_mul(k));
        let most = self.bytes.saturating_mul(MOST_COMPRESSION);
        match entries {
            Some(entries) if entries <= most => Ok(dataset),
            _ => Err(self.fault(place, format!("has shape {shape:?}, more than the file holds"))),
        }
    }

    /// A vector of finite numbers.
    pub(super) fn numbers(&self, place: &str) -> Result<Vec<f64>, FileError> {
        let numbers = self
            .dataset(place)?
            .read_f64()
            .map_err(|error| self.fault(place, format!("cannot be read: {error}")))?;
        match numbers.iter().position(|x| !x.is_finite()) {
            Some(k) => Err(self.fault(place, format!("[{k}] is {}, must be finite", numbers[k]))),
            None => Ok(numbers),
        }
    }

    pub(super) fn integers(&self, place: &str) -> Result<Vec<i32>, FileError> {
        self.dataset(place)?
            .read_i32()
            .map_err(|error| self.fault(place, format!("cannot be read: {error}")))
    }

    pub(super) fn integer(&self, place: &str) -> Result<i32, FileError> {
        let integers = self.integers(place)?;
        integers.first().copied().ok_or_else(|| self.fault(place, "is empty".into()))
    }
}
