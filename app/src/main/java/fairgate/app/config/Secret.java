package fairgate.app.config;

/// A text that prints as `[redacted]`, or as nothing when empty.
///
/// @param expose the text itself, for its consumer only
public record Secret(String expose) {
  static final Secret NONE = new Secret("");

  public boolean isEmpty() {
    return expose.isEmpty();
  }

  @Override
  public String toString() {
    return isEmpty() ? "" : "[redacted]";
  }
}
