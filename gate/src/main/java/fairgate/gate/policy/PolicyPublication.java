package fairgate.gate.policy;

/// A document to publish.
///
/// @param bundle JSON, kept exactly
/// @param parent the version it was made from; 0 for none
/// @param note for operators
public record PolicyPublication(
    String bundle, String author, long parent, String note, Guardrails guardrails) {}
