package fairgate.line.talk;

import fairgate.platform.text.Language;
import java.util.Optional;

/// A weather service.
interface Weather {
  /// A place found by its name.
  record Spot(String name, double latitude, double longitude) {}

  /// The weather at a place now and today, in degrees Celsius, per cent and km/h.
  ///
  /// @param code as of WMO table 4677, as forecasts use it
  record Report(
      int code,
      double temperature,
      double feelsLike,
      double humidity,
      double wind,
      double low,
      double high,
      double rainChance) {}

  /// The best match for a place's name. Blocks. Throws WeatherAway.
  Optional<Spot> find(String name, Language language);

  /// The weather there. Blocks. Throws WeatherAway.
  Report at(double latitude, double longitude);
}
