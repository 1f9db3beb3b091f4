package fairgate.line.talk;

/// The weather service does not answer, or not in a way that can be understood.
final class WeatherAway extends RuntimeException {
  private static final long serialVersionUID = 1L;

  WeatherAway(String reason) {
    super(reason, null, false, false);
  }
}
