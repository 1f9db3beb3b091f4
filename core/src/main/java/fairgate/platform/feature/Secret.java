package fairgate.platform.feature;

/// The value of a setting that prints as `[redacted]`, or as nothing when empty.
///
/// @param expose the text itself, for its consumer only
public record Secret(String expose) {
  public static final Secret NONE = new Secret("");

  public boolean isEmpty() {
    return expose.isEmpty();
  }

  @Override
  public String toString() {
    return isEmpty() ? "" : "[redacted]";
  }
}
