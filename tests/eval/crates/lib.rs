//! Empty: the package exists for its dependencies.
