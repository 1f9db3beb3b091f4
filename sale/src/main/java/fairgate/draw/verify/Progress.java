package fairgate.draw.verify;

/// Receives the progress of a verification.
public interface Progress {
  /// The long parts of a verification.
  enum Part {
    LOG,
    ENTRIES,
    LOTS
  }

  Progress NONE = (_, _, _) -> {};

  void at(Part part, long done, long total);
}
