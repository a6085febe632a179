//! What the dynamic loader would do: where it finds libraries, and which symbols it finds nowhere.
