package fairgate.app.config;

/// A text that is never shown: it prints as `[redacted]`, or as nothing when it is empty.
///
/// @param expose the text itself; for the one who has to use it
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
