package fairgate.line.talk;

/// The weather service does not respond, or its response is invalid.
final class WeatherUnavailable extends RuntimeException {
  private static final long serialVersionUID = 1L;

  WeatherUnavailable(String reason) {
    super(reason, null, false, false);
  }
}
