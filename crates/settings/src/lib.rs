//! Every flag default, environment variable and folder, once.
