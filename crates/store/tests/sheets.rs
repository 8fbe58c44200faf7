//! Sheets out and back: whatever stands in the texts, and whatever a spreadsheet program does to the file.

mod sheets {
    pub mod back;
    pub mod exports;
    pub mod hostile;
    pub mod paper;
    pub mod programs;
    pub mod round_trip;
}
