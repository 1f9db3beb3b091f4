package fairgate.line.talk;

import fairgate.platform.http.HttpCalls;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonSyntaxException;
import fairgate.platform.text.Language;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Weather client for the protocol of Open-Meteo (open-meteo.com): `/v1/search` finds places by
/// name, `/v1/forecast` returns the weather at coordinates. Both have the same base URL.
final class OpenMeteo implements AutoCloseable {
  private static final long LONGEST_ANSWER = 256 * 1024;
  private static final String WANTED =
      "&current=temperature_2m,apparent_temperature,relative_humidity_2m,weather_code,"
          + "wind_speed_10m&daily=temperature_2m_max,temperature_2m_min,"
          + "precipitation_probability_max&timezone=auto&forecast_days=1";

  private final HttpCalls http;
  private final String base;

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

  /// The weather service does not respond, or its response is invalid.
  static final class WeatherUnavailable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    WeatherUnavailable(String reason) {
      super(reason, null, false, false);
    }
  }

  OpenMeteo(String base, Duration timeLimit) {
    this.base = base.endsWith("/") ? base.substring(0, base.length() - 1) : base;
    this.http = new HttpCalls("weather", timeLimit, LONGEST_ANSWER);
  }

  /// The best match for a name. Blocks. Throws WeatherUnavailable.
  Optional<NamedLocation> find(String name, Language language) {
    String code = language == Language.EN ? "en" : "zh";
    JsonObject found =
        get(
            "/v1/search?count=1&format=json&language="
                + code
                + "&name="
                + URLEncoder.encode(name, StandardCharsets.UTF_8));
    if (!(found.get("results") instanceof List<?> results)
        || results.isEmpty()
        || !(results.getFirst() instanceof JsonObject best)) {
      return Optional.empty();
    }
    Object matchedName = best.get("name");
    return Optional.of(
        new NamedLocation(
            matchedName instanceof String text && !text.isBlank() ? text : name,
            number(best, "latitude"),
            number(best, "longitude")));
  }

  /// The weather at the coordinates. Blocks. Throws WeatherUnavailable.
  Report at(double latitude, double longitude) {
    String where = String.format(Locale.ROOT, "?latitude=%.4f&longitude=%.4f", latitude, longitude);
    JsonObject response = get("/v1/forecast" + where + WANTED);
    if (!(response.get("current") instanceof JsonObject now)
        || !(response.get("daily") instanceof JsonObject today)) {
      throw new WeatherUnavailable("the forecast lacks required fields");
    }
    return new Report(
        (int) number(now, "weather_code"),
        number(now, "temperature_2m"),
        number(now, "apparent_temperature"),
        number(now, "relative_humidity_2m"),
        number(now, "wind_speed_10m"),
        first(today, "temperature_2m_min"),
        first(today, "temperature_2m_max"),
        first(today, "precipitation_probability_max"));
  }

  @Override
  public void close() {
    http.close();
  }

  private JsonObject get(String path) {
    try {
      HttpResponse<byte[]> response = http.send(http.request(base + path));
      if (response.statusCode() != 200) {
        throw new WeatherUnavailable("status " + response.statusCode());
      }
      return Json.parseObject(response.body());
    } catch (JsonSyntaxException e) {
      throw new WeatherUnavailable("the response is not a JSON object");
    } catch (HttpCalls.NoReply e) {
      throw new WeatherUnavailable(e.reason());
    }
  }

  private static double number(JsonObject json, String name) {
    if (json.get(name) instanceof Number number) {
      return number.doubleValue();
    }
    throw new WeatherUnavailable(name + " is missing");
  }

  private static double first(JsonObject json, String name) {
    if (json.get(name) instanceof List<?> days
        && !days.isEmpty()
        && days.getFirst() instanceof Number number) {
      return number.doubleValue();
    }
    return Double.NaN;
  }
}
