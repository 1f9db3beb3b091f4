package fairgate.line.talk;

import fairgate.platform.text.Language;
import java.util.Optional;

/// A weather service.
interface Weather {
  /// A place that matches a name.
  record NamedLocation(String name, double latitude, double longitude) {}

  /// Current weather and today's forecast, in degrees Celsius, per cent and km/h.
  ///
  /// @param code WMO 4677 weather code
  record Report(
      int code,
      double temperature,
      double feelsLike,
      double humidity,
      double wind,
      double low,
      double high,
      double rainChance) {}

  /// The best match for a name. Blocks. Throws WeatherUnavailable.
  Optional<NamedLocation> find(String name, Language language);

  /// The weather at the coordinates. Blocks. Throws WeatherUnavailable.
  Report at(double latitude, double longitude);
}
