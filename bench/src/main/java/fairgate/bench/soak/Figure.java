package fairgate.bench.soak;

/// The observed figures, and how much they may grow from the second quarter to the last.
enum Figure {
  HEAP("heap after a collection of all of it", "MiB", 0.05, 2),
  RESIDENT("resident memory of the server", "MiB", 0.08, 8),
  FILES("open files of the server", "", 0.02, 20),
  THREADS("threads of the server", "", 0, 4),
  REDIS_CLIENTS("connections to Redis", "", 0, 2),
  POSTGRES("connections to PostgreSQL", "", 0, 2);

  private final String wording;
  private final String unit;
  private final double share;
  private final double more;

  Figure(String wording, String unit, double share, double more) {
    this.wording = wording;
    this.unit = unit;
    this.share = share;
    this.more = more;
  }

  String wording() {
    return wording;
  }

  String unit() {
    return unit;
  }

  Series.Allowed allowed() {
    return new Series.Allowed(share, more);
  }
}
