package fairgate.line.talk;

import fairgate.line.api.ButtonAction;
import fairgate.line.api.LineMessage;
import fairgate.line.talk.OpenMeteo.WeatherUnavailable;
import fairgate.line.talk.Talk.Menu;
import fairgate.platform.text.Language;
import fairgate.platform.text.Messages;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Answers about the weather.
///
/// @param weather null where no service is configured
record WeatherTalk(@Nullable OpenMeteo weather) {
  private static final Logger LOG = LoggerFactory.getLogger(WeatherTalk.class);

  LineMessage how(Language language) {
    return new LineMessage.Text(
        Messages.text(language, "line.weather.how"),
        List.of(new ButtonAction.AskLocation(Messages.text(language, "line.label.location"))));
  }

  LineMessage in(String place, Language language) {
    if (weather == null) {
      return LineMessage.text(Messages.text(language, "line.weather.off"));
    }
    try {
      Optional<OpenMeteo.NamedLocation> match = weather.find(place, language);
      if (match.isEmpty()) {
        return new LineMessage.Text(
            Messages.text(language, "line.weather.unknown", ButtonAction.cut(place, 40)),
            Menu.quick(language));
      }
      OpenMeteo.NamedLocation found = match.get();
      return report(
          found.name(),
          weather.at(found.latitude(), found.longitude()),
          again(place, language),
          language);
    } catch (WeatherUnavailable e) {
      return unavailable(e, language);
    }
  }

  LineMessage at(double latitude, double longitude, Language language) {
    if (weather == null) {
      return LineMessage.text(Messages.text(language, "line.weather.off"));
    }
    try {
      String data = String.format(Locale.ROOT, "lat=%.4f&lon=%.4f", latitude, longitude);
      return report(
          Messages.text(language, "line.weather.here"),
          weather.at(latitude, longitude),
          new ButtonAction.Post(
              Messages.text(language, "line.label.again"), "action=weather&" + data),
          language);
    } catch (WeatherUnavailable e) {
      return unavailable(e, language);
    }
  }

  private static ButtonAction again(String place, Language language) {
    String data = "action=weather&place=" + URLEncoder.encode(place, StandardCharsets.UTF_8);
    String label = Messages.text(language, "line.label.again");
    // Encoding may make a name nine times as long.
    return data.length() <= ButtonAction.DATA
        ? new ButtonAction.Post(label, data)
        : new ButtonAction.SendText(label, place);
  }

  private static LineMessage unavailable(WeatherUnavailable reason, Language language) {
    LOG.warn("Weather service failed", reason);
    return new LineMessage.Text(Messages.text(language, "line.weather.away"), Menu.quick(language));
  }

  private static LineMessage report(
      String place, OpenMeteo.Report report, ButtonAction again, Language language) {
    String text =
        Messages.text(
            language,
            "line.weather.report",
            place,
            Messages.text(language, "line.sky." + sky(report.code())),
            whole(report.temperature()),
            whole(report.feelsLike()),
            whole(report.low()),
            whole(report.high()),
            whole(report.rainChance()),
            whole(report.humidity()),
            whole(report.wind()));
    return new LineMessage.Text(
        text,
        List.of(
            again, new ButtonAction.AskLocation(Messages.text(language, "line.label.location"))));
  }

  private static String whole(double value) {
    return Double.isNaN(value) ? "–" : Long.toString(Math.round(value));
  }

  /// The message key suffix of a WMO 4677 weather code, for the codes that forecasts use.
  static String sky(int code) {
    return switch (code) {
      case 0 -> "clear";
      case 1, 2 -> "partly";
      case 3 -> "cloudy";
      case 45, 48 -> "fog";
      case 51, 53, 55, 56, 57 -> "drizzle";
      case 61, 63, 65, 66, 67 -> "rain";
      case 71, 73, 75, 77 -> "snow";
      case 80, 81, 82 -> "showers";
      case 85, 86 -> "snow";
      case 95, 96, 99 -> "thunder";
      default -> "unknown";
    };
  }
}
