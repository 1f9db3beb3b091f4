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
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Parses messages and postbacks into commands. Words of all three languages are recognised,
/// whatever language the user has chosen.
///
/// @param orders recognises order numbers
record Commands(LineClaims orders) {
  private static final int LONGEST_PLACE = 60;

  /// The prefix that addresses the bot in a group without a mention.
  private static final String PREFIX = "/";

  /// Emoji, and LINE's own as they look in a text: `(love)`. A few of them are letters after NFKC,
  /// such as ㊗ and ℹ.
  private static final Pattern EMOJI =
      Pattern.compile(
          "[\\p{IsExtended_Pictographic}\\p{IsEmoji_Presentation}\\p{IsEmoji_Modifier}"
              + "\\x{fe0e}\\x{fe0f}\\x{200d}\\x{20e3}\\x{e0020}-\\x{e007f}]+"
              + "|\\([a-z][a-z ]{0,29}\\)");

  /// Marks around a command, as people write them.
  private static final Pattern MARKS =
      Pattern.compile("^[\\p{P}\\p{S}\\p{Z}]+|[\\p{P}\\p{S}\\p{Z}]+$");

  private static final Pattern TILDES = Pattern.compile("[~\\x{301c}\\s]+$");

  /// Punctuation of sentences that names of places do not have.
  private static final Pattern SENTENCE = Pattern.compile("[?!。;:\\n]|\\.$");

  private static final int MAX_WORDS = 5;

  private static final Map<String, Command> WORDS = words();
  private static final List<String> WEATHER_WORDS = all("line.words.weather");

  /// Words around the name of a place in a question about its weather.
  private static final Pattern FILLER = filler();

  private static final Set<String> SMALL_TALK = Set.copyOf(all("line.words.small_talk"));
  private static final Map<String, Command> SIMPLE =
      Map.of(
          "help",
          new Command.Help(),
          "place",
          new Command.Places(),
          "claim",
          new Command.HowToClaim(),
          "language",
          new Command.ChooseLanguage());

  Command of(Chat chat, Incoming incoming) {
    return switch (incoming) {
      case Incoming.Text(String text, boolean mentioned) -> text(chat, text, mentioned);
      case Incoming.Location(double latitude, double longitude) ->
          new Command.WeatherAt(latitude, longitude);
      case Incoming.Postback(String data) -> post(data);
      case Incoming.Followed _, Incoming.Invited _ -> new Command.Help();
      case Incoming.Unfollowed _, Incoming.Turn _, Incoming.Notice _ -> new Command.Unknown();
    };
  }

  /// In a group the bot reacts only to a mention or the prefix.
  private Command text(Chat chat, String raw, boolean mentioned) {
    String words = EMOJI.matcher(raw).replaceAll(" ");
    String text =
        TILDES.matcher(Normalizer.normalize(words, Normalizer.Form.NFKC)).replaceFirst("").strip();
    if (mentioned) {
      text = text.replaceFirst("^@\\S+\\s*", "").strip();
    }
    boolean prefixed = text.startsWith(PREFIX);
    if (chat.isShared() && !mentioned && !prefixed) {
      return new Command.Unknown();
    }
    return meant(prefixed ? text.substring(PREFIX.length()).strip() : text);
  }

  private Command meant(String text) {
    Command known = word(text);
    if (known != null) {
      return known;
    }
    if (orders.orderIn(text).isPresent()) {
      return new Command.Claim(text, null, 0);
    }
    Optional<String> place = placeNextToWeather(text);
    if (place.isPresent()) {
      return isPlace(place.get())
          ? new Command.WeatherIn(place.get())
          : new Command.HowToAskWeather();
    }
    if (orders.speaksOfOrder(text)) {
      boolean number = text.chars().anyMatch(Character::isDigit);
      return number ? new Command.Claim(text, null, 0) : new Command.HowToClaim();
    }
    return isPlace(text) ? new Command.WeatherIn(text) : new Command.Help();
  }

  /// The command of a word, also with marks around it: `?` is one, and so is `順位！`.
  private static @Nullable Command word(String text) {
    String lower = text.toLowerCase(Locale.ROOT);
    Command exact = WORDS.get(lower);
    return exact != null || text.length() > LONGEST_PLACE
        ? exact
        : WORDS.get(MARKS.matcher(lower).replaceAll(""));
  }

  /// Whether a text may be the name of a place: few words with letters, no sentence, no small talk.
  private static boolean isPlace(String text) {
    String words = text.toLowerCase(Locale.ROOT).replaceAll("[\\p{P}\\p{S}~]+$", "").strip();
    return text.length() <= LONGEST_PLACE
        && text.codePoints().anyMatch(Character::isLetter)
        && !SENTENCE.matcher(text).find()
        && text.split("\\s+", -1).length <= MAX_WORDS
        && !SMALL_TALK.contains(words);
  }

  /// The place in "weather in Taipei" or "今天台北天氣如何"; empty when the text does not mention the
  /// weather.
  private static Optional<String> placeNextToWeather(String text) {
    String lower = text.toLowerCase(Locale.ROOT);
    for (String word : WEATHER_WORDS) {
      int at = lower.indexOf(word);
      if (at >= 0 && lower.length() == text.length()) {
        String rest = text.substring(0, at) + ' ' + text.substring(at + word.length());
        return Optional.of(FILLER.matcher(rest).replaceAll(""));
      }
    }
    return Optional.empty();
  }

  /// Words in ASCII match as whole words only: `in` does not match in `Indiana`.
  private static Pattern filler() {
    String words =
        all("line.words.weather_filler").stream()
            .map(
                word ->
                    word.charAt(0) < 0x80
                        ? "\\b" + Pattern.quote(word) + "\\b"
                        : Pattern.quote(word))
            .collect(Collectors.joining("|"));
    String some = "(?:" + words + "|[,:?!。]|\\s)+";
    return Pattern.compile('^' + some + '|' + some + '$', Pattern.CASE_INSENSITIVE);
  }

  private static Command post(String data) {
    Map<String, String> fields = fields(data);
    String action = fields.getOrDefault("action", "");
    String order = fields.getOrDefault("order", "");
    if (action.equals("claim") && !order.isEmpty()) {
      return new Command.Claim(order, fields.get("product"), from(fields));
    }
    Command simple = SIMPLE.get(action);
    if (simple != null) {
      return simple;
    }
    String product = fields.getOrDefault("product", "");
    return switch (action) {
      case "sales" -> new Command.Sales(from(fields));
      case "enter" ->
          ProductId.isValid(product)
              ? new Command.JoinSale(new ProductId(product))
              : new Command.Help();
      case "speak" -> speak(fields.getOrDefault("to", ""));
      case "weather" -> weather(fields);
      // For example a button of an older menu: a tap always gets an answer.
      default -> new Command.Help();
    };
  }

  /// The number of items on earlier pages.
  private static int from(Map<String, String> fields) {
    try {
      return Math.max(0, Integer.parseInt(fields.getOrDefault("from", "0")));
    } catch (NumberFormatException _) {
      return 0;
    }
  }

  private static Command speak(String tag) {
    Language language = Languages.of(tag);
    return language == null || tag.equals("*")
        ? new Command.ChooseLanguage()
        : new Command.SetLanguage(language);
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

  /// The fields of a query string; malformed ones are skipped.
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
          // Malformed percent encoding.
        }
      }
    }
    return fields;
  }

  private static Map<String, Command> words() {
    Map<String, Command> words = new LinkedHashMap<>();
    all("line.words.help").forEach(word -> words.put(word, new Command.Help()));
    all("line.words.sales").forEach(word -> words.put(word, new Command.Sales(0)));
    all("line.words.place").forEach(word -> words.put(word, new Command.Places()));
    all("line.words.claim").forEach(word -> words.put(word, new Command.HowToClaim()));
    all("line.words.language").forEach(word -> words.put(word, new Command.ChooseLanguage()));
    for (Language language : Language.values()) {
      words(language, "line.words.this_language")
          .forEach(word -> words.put(word, new Command.SetLanguage(language)));
    }
    return words;
  }

  /// The words of a message key in all languages, longest first.
  private static List<String> all(String key) {
    return Arrays.stream(Language.values())
        .flatMap(language -> words(language, key))
        .distinct()
        .sorted(Comparator.comparingInt(String::length).reversed())
        .toList();
  }

  private static Stream<String> words(Language language, String key) {
    return Arrays.stream(Messages.text(language, key).split("[|]", -1))
        .map(word -> word.strip().toLowerCase(Locale.ROOT))
        .filter(word -> !word.isEmpty());
  }

  sealed interface Command {
    record Help() implements Command {}

    /// Lists the sales.
    ///
    /// @param from number of sales on earlier pages
    record Sales(int from) implements Command {}

    record Places() implements Command {}

    record JoinSale(ProductId product) implements Command {}

    record HowToClaim() implements Command {}

    /// Claims with an order number.
    ///
    /// @param product the product; null when not yet chosen
    /// @param from number of products on earlier pages
    record Claim(String text, @Nullable String product, int from) implements Command {}

    record ChooseLanguage() implements Command {}

    record SetLanguage(Language language) implements Command {}

    record HowToAskWeather() implements Command {}

    record WeatherAt(double latitude, double longitude) implements Command {}

    record WeatherIn(String place) implements Command {}

    /// Not addressed to the bot, or unknown.
    record Unknown() implements Command {}

    /// Whether the answer needs a slow call.
    default boolean takesTime() {
      return switch (this) {
        case Claim _, WeatherAt _, WeatherIn _ -> true;
        case Help _,
            Sales _,
            Places _,
            JoinSale _,
            HowToClaim _,
            ChooseLanguage _,
            SetLanguage _,
            HowToAskWeather _,
            Unknown _ ->
            false;
      };
    }

    default boolean isWeather() {
      return this instanceof WeatherAt || this instanceof WeatherIn;
    }
  }
}
