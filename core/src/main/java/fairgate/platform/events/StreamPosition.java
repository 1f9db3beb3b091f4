package fairgate.platform.events;

/// The id of a stream entry as two numbers, for comparison.
record StreamPosition(long millis, long number) implements Comparable<StreamPosition> {
  static StreamPosition of(String id) {
    int dash = id.indexOf('-');
    return dash < 0
        ? new StreamPosition(Long.parseLong(id), 0)
        : new StreamPosition(
            Long.parseLong(id.substring(0, dash)), Long.parseLong(id.substring(dash + 1)));
  }

  @Override
  public int compareTo(StreamPosition other) {
    int byMillis = Long.compareUnsigned(millis, other.millis);
    return byMillis != 0 ? byMillis : Long.compareUnsigned(number, other.number);
  }

  @Override
  public String toString() {
    return millis + "-" + number;
  }
}
