package fairgate.line.talk;

import fairgate.kernel.ProductId;
import fairgate.platform.text.Language;
import fairgate.platform.text.Languages;
import fairgate.platform.text.Messages;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// Understands what people type and tap. Words count in all three languages, whichever the reader
/// has chosen.
final class Commands {
  private static final int LONGEST_PLACE = 60;

  /// Order numbers of shops, alone or somewhere in a pasted text: letters that name the shop before
  /// at least 12 digits, or 17 to 20 digits.
  private static final Pattern ORDER =
      Pattern.compile("(?<![0-9A-Za-z])(?:[A-Za-z]{1,3}\\d{12,24}|\\d{17,20})(?!\\d)");

  /// Other order numbers count only where they stand alone.
  private static final Pattern LONE_ORDER = Pattern.compile("(?=(?:.*\\d){6})[A-Za-z0-9_-]{10,64}");

  /// What may stand between a place and the word for weather.
  private static final Pattern FILLER = Pattern.compile("^(?:\\s*(?:in|at|for|的|:|,))?\\s+|的$");

  private static final Map<String, Command> WORDS = words();
  private static final List<String> WEATHER_WORDS = all("line.words.weather");
  private static final Map<String, Command> SIMPLE =
      Map.of(
          "help",
          new Command.Help(),
          "sales",
          new Command.Sales(),
          "place",
          new Command.Places(),
          "claim",
          new Command.HowToClaim(),
          "language",
          new Command.ChooseLanguage());

  private Commands() {}

  static Command of(Chat chat, Incoming incoming) {
    return switch (incoming) {
      case Incoming.Text(String text, boolean mentioned) ->
          text(text, chat.isPrivate() || mentioned);
      case Incoming.Spot(double latitude, double longitude) ->
          new Command.WeatherAt(latitude, longitude);
      case Incoming.Post(String data) -> post(data);
      case Incoming.Followed _, Incoming.Invited _ -> new Command.Help();
      case Incoming.Unfollowed _, Incoming.Turn _ -> new Command.Nothing();
    };
  }

  /// @param addressed whether the bot is meant; in a group only commands are for it
  private static Command text(String raw, boolean addressed) {
    String text = Normalizer.normalize(raw, Normalizer.Form.NFKC).strip();
    String bare = text.replaceFirst("^@\\S+\\s*", "").strip();
    Command known = WORDS.get(bare.toLowerCase(Locale.ROOT));
    if (known != null) {
      return known;
    }
    if (ORDER.matcher(bare).find() || LONE_ORDER.matcher(bare).matches()) {
      return addressed ? new Command.Claim(bare, null) : new Command.Nothing();
    }
    Optional<String> place = placeNextToWeather(bare);
    if (place.isPresent()) {
      return place.get().isEmpty()
          ? new Command.HowToAskWeather()
          : new Command.WeatherIn(place.get());
    }
    boolean shortText = !bare.isEmpty() && bare.length() <= LONGEST_PLACE && !bare.contains("\n");
    return !addressed
        ? new Command.Nothing()
        : shortText ? new Command.WeatherIn(bare) : new Command.Help();
  }

  /// What is left of "weather in Taipei" or "台北天氣".
  private static Optional<String> placeNextToWeather(String text) {
    String lower = text.toLowerCase(Locale.ROOT);
    for (String word : WEATHER_WORDS) {
      if (lower.startsWith(word) || lower.endsWith(word)) {
        String rest =
            lower.startsWith(word)
                ? text.substring(word.length())
                : text.substring(0, text.length() - word.length());
        String place = FILLER.matcher(rest).replaceAll("").strip();
        return Optional.of(place.length() > LONGEST_PLACE ? "" : place);
      }
    }
    return Optional.empty();
  }

  private static Command post(String data) {
    Map<String, String> fields = fields(data);
    String action = fields.getOrDefault("action", "");
    String order = fields.getOrDefault("order", "");
    if (action.equals("claim") && !order.isEmpty()) {
      return new Command.Claim(order, fields.get("product"));
    }
    Command simple = SIMPLE.get(action);
    if (simple != null) {
      return simple;
    }
    String product = fields.getOrDefault("product", "");
    return switch (action) {
      case "enter" ->
          ProductId.isValid(product)
              ? new Command.Enter(new ProductId(product))
              : new Command.Nothing();
      case "speak" -> speak(fields.getOrDefault("to", ""));
      case "weather" -> weather(fields);
      default -> new Command.Nothing();
    };
  }

  private static Command speak(String tag) {
    Language language = Languages.of(tag);
    return language == null || tag.equals("*")
        ? new Command.ChooseLanguage()
        : new Command.Speak(language);
  }

  private static Command weather(Map<String, String> fields) {
    String place = fields.getOrDefault("place", "").strip();
    if (!place.isEmpty() && place.length() <= LONGEST_PLACE) {
      return new Command.WeatherIn(place);
    }
    try {
      double latitude = Double.parseDouble(fields.getOrDefault("lat", ""));
      double longitude = Double.parseDouble(fields.getOrDefault("lon", ""));
      return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180
          ? new Command.WeatherAt(latitude, longitude)
          : new Command.HowToAskWeather();
    } catch (NumberFormatException _) {
      return new Command.HowToAskWeather();
    }
  }

  /// The fields of a query string; what is not well-formed is left out.
  private static Map<String, String> fields(String data) {
    Map<String, String> fields = new HashMap<>();
    for (String pair : data.split("&", -1)) {
      int at = pair.indexOf('=');
      if (at > 0) {
        try {
          fields.putIfAbsent(
              pair.substring(0, at),
              URLDecoder.decode(pair.substring(at + 1), StandardCharsets.UTF_8));
        } catch (IllegalArgumentException _) {
          // A per cent sign that stands for nothing.
        }
      }
    }
    return fields;
  }

  private static Map<String, Command> words() {
    Map<String, Command> words = new LinkedHashMap<>();
    all("line.words.help").forEach(word -> words.put(word, new Command.Help()));
    all("line.words.sales").forEach(word -> words.put(word, new Command.Sales()));
    all("line.words.place").forEach(word -> words.put(word, new Command.Places()));
    all("line.words.claim").forEach(word -> words.put(word, new Command.HowToClaim()));
    all("line.words.language").forEach(word -> words.put(word, new Command.ChooseLanguage()));
    return words;
  }

  /// The words of a key in all languages, longest first.
  private static List<String> all(String key) {
    return Arrays.stream(Language.values())
        .flatMap(language -> Arrays.stream(Messages.text(language, key).split("[|]", -1)))
        .map(word -> word.strip().toLowerCase(Locale.ROOT))
        .filter(word -> !word.isEmpty())
        .distinct()
        .sorted(Comparator.comparingInt(String::length).reversed())
        .toList();
  }
}
