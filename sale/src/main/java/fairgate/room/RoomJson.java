package fairgate.room;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.kernel.BidiControls;
import fairgate.kernel.ProductId;
import fairgate.platform.http.JsonBody;
import fairgate.platform.json.JsonText;
import fairgate.platform.text.Language;
import fairgate.room.token.RoomTokens;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The settings of a room as JSON, as operators send them and PostgreSQL keeps them. Reading throws
/// InvalidRequest with the name of the first bad field.
public final class RoomJson {
  public static final List<String> FIELDS =
      List.of(
          "hosts",
          "paths",
          "methods",
          "sale",
          "mode",
          "capacity",
          "rate",
          "session_minutes",
          "paused",
          "opens_at",
          "closes_at",
          "pre_queue",
          "return_url",
          "logo_url",
          "titles",
          "messages",
          "on_failure",
          "open_minutes",
          "challenge",
          "places_per_ip",
          "places_per_network",
          "token_alg");

  private static final Pattern YEAR = Pattern.compile("[1-9][0-9]{3}-");
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MAX_CAPACITY = 1_000_000;
  private static final int MAX_RATE = 100_000;
  private static final double MIN_RATE = 0.01;
  private static final int MAX_MINUTES = 60;

  /// Redis reads the places of a network one by one.
  private static final int MAX_PLACES = 500;

  private static final int MAX_RULES = 50;
  private static final int LONGEST_RULE = 200;
  private static final int LONGEST_URL = 2_048;
  private static final int LONGEST_TEXT = 300;
  private static final String HOST = "(\\*\\.)?[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?";
  private static final String METHOD = "[A-Z]{1,20}";

  private RoomJson() {}

  /// A room from complete settings; those that are absent get their defaults.
  public static Room read(String id, byte[] settings, long epoch, long version) {
    return read(id, JsonBody.parse(settings), epoch, version);
  }

  public static Room read(String id, JsonBody body, long epoch, long version) {
    RoomRules rules = rules(body);
    Room room =
        new Room(
            id,
            rules,
            sale(body),
            word(body, "mode", Room.Mode.values(), Room.Mode::word, Room.Mode.OFF),
            new Room.Admission(
                body.optionalInteger("capacity", 1, MAX_CAPACITY, 1_000),
                body.has("rate") ? body.number("rate", MIN_RATE, MAX_RATE) : 10,
                body.optionalInteger("session_minutes", 1, MAX_MINUTES, 10),
                body.optionalFlag("paused", false)),
            new Room.Opening(
                time(body, "opens_at"),
                time(body, "closes_at"),
                word(
                    body,
                    "pre_queue",
                    Room.PreQueue.values(),
                    Room.PreQueue::word,
                    Room.PreQueue.ARRIVAL)),
            failure(body),
            new Room.Look(
                text(body, "return_url"),
                logo(body),
                texts(body, "titles"),
                texts(body, "messages")),
            body.optionalFlag("challenge", true),
            new Room.PlaceLimits(
                limit(body, "places_per_ip", Room.PlaceLimits.DEFAULT.perAddress()),
                limit(body, "places_per_network", Room.PlaceLimits.DEFAULT.perNetwork())),
            word(
                body,
                "token_alg",
                RoomTokens.Algorithm.values(),
                RoomTokens.Algorithm::name,
                RoomTokens.Algorithm.ES256),
            epoch,
            version);
    Instant opens = room.opening().opensAt();
    Instant closes = room.opening().closesAt();
    if (opens != null && closes != null && !closes.isAfter(opens)) {
      throw body.problem("closes_at", "after", opens);
    }
    if (opens == null && room.opening().preQueue() == Room.PreQueue.DRAW) {
      throw body.problem("opens_at", "draw_opening");
    }
    String target = room.look().returnUrl();
    if (!target.isEmpty() && !room.isReturnUrl(target)) {
      throw body.problem("return_url", "room_url");
    }
    if (room.sale() != null && target.isEmpty()) {
      throw body.problem("return_url", "missing");
    }
    return room;
  }

  private static @Nullable ProductId sale(JsonBody body) {
    String text = body.optionalText("sale");
    if (text == null) {
      return null;
    }
    if (!ProductId.isValid(text)) {
      throw body.problem("sale", "not_digits", 1, 19);
    }
    return new ProductId(text);
  }

  /// The settings with the fields of a change in place of their own.
  public static byte[] merged(byte[] settings, byte[] change) {
    try {
      ObjectNode all = (ObjectNode) JSON.readTree(settings);
      JsonNode fields = JSON.readTree(change);
      fields.properties().forEach(field -> all.set(field.getKey(), field.getValue()));
      return JSON.writeValueAsBytes(all);
    } catch (JacksonException e) {
      throw new IllegalStateException("the bodies were checked before", e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static JsonText write(Room room) {
    Room.Admission admission = room.admission();
    Room.Opening opening = room.opening();
    RoomRules rules = room.rules();
    ProductId sale = room.sale();
    return JsonText.object()
        .putAny("hosts", rules.hosts())
        .put(
            "paths",
            JsonText.object()
                .putAny("include", rules.include().stream().map(PathRule::text).toList())
                .putAny("exclude", rules.exclude().stream().map(PathRule::text).toList()))
        .putAny("methods", new TreeSet<>(rules.methods()))
        .put("sale", sale == null ? null : sale.value())
        .put("mode", room.mode().word())
        .put("capacity", admission.capacity())
        .putAny("rate", admission.rate())
        .put("session_minutes", admission.sessionMinutes())
        .put("paused", admission.paused())
        .put("opens_at", text(opening.opensAt()))
        .put("closes_at", text(opening.closesAt()))
        .put("pre_queue", opening.preQueue().word())
        .put("return_url", room.look().returnUrl())
        .put("logo_url", room.look().logoUrl())
        .put("titles", texts(room.look().titles()))
        .put("messages", texts(room.look().messages()))
        .put("on_failure", room.failure().openMinutes() > 0 ? "open" : "closed")
        .put("open_minutes", room.failure().openMinutes())
        .put("challenge", room.challenge())
        .putAny("places_per_ip", room.limits().perAddress())
        .putAny("places_per_network", room.limits().perNetwork())
        .put("token_alg", room.algorithm().name());
  }

  private static RoomRules rules(JsonBody body) {
    JsonBody paths = body.optionalObject("paths");
    if (paths != null) {
      refuseUnknown(paths, List.of("include", "exclude"));
    }
    List<PathRule> include = paths == null ? List.of() : paths(paths, "include");
    return new RoomRules(
        list(body, "hosts", HOST, "host_name"),
        include.isEmpty() ? List.of(PathRule.of("/")) : include,
        paths == null ? List.of() : paths(paths, "exclude"),
        new TreeSet<>(list(body, "methods", METHOD, "bad_format")));
  }

  private static List<PathRule> paths(JsonBody body, String field) {
    return list(body, field, "/[^\\s#%;\\\\]{0," + LONGEST_RULE + "}", "bad_format").stream()
        .map(PathRule::of)
        .toList();
  }

  private static List<String> list(JsonBody body, String field, String form, String problem) {
    List<String> all = body.texts(field);
    if (all.size() > MAX_RULES) {
      throw body.problem(field, "too_many", MAX_RULES);
    }
    for (String one : all) {
      if (!one.matches(form)) {
        throw body.problem(field, problem);
      }
    }
    return all;
  }

  private static Room.Failure failure(JsonBody body) {
    String word = body.optionalText("on_failure");
    if (word != null && !word.equals("closed") && !word.equals("open")) {
      throw body.problem("on_failure", "not_one_of", "closed, open");
    }
    boolean open = "open".equals(word);
    int minutes = body.optionalInteger("open_minutes", 0, MAX_MINUTES, open ? 5 : 0);
    return new Room.Failure(open ? minutes : 0);
  }

  /// JSON null removes the limit.
  private static @Nullable Integer limit(JsonBody body, String field, @Nullable Integer otherwise) {
    if (body.has(field)) {
      return body.integer(field, 1, MAX_PLACES);
    }
    return body.names().contains(field) ? null : otherwise;
  }

  private static String text(JsonBody body, String field) {
    String text = body.optionalText(field, 0, LONGEST_URL);
    return text == null ? "" : text;
  }

  private static String logo(JsonBody body) {
    String logo = text(body, "logo_url");
    if (!logo.isEmpty() && !logo.matches("(https://|/)[\\x21-\\x7e]*")) {
      throw body.problem("logo_url", "image_url");
    }
    return logo;
  }

  private static Map<Language, String> texts(JsonBody body, String field) {
    Map<Language, String> all = new EnumMap<>(Language.class);
    JsonBody texts = body.optionalObject(field);
    if (texts == null) {
      return all;
    }
    refuseUnknown(texts, Arrays.stream(Language.values()).map(Language::tag).toList());
    for (Language language : Language.values()) {
      String text = texts.optionalText(language.tag(), 0, LONGEST_TEXT);
      if (text != null && text.chars().anyMatch(c -> c < ' ')) {
        throw texts.problem(language.tag(), "not_line", LONGEST_TEXT);
      }
      if (text != null && BidiControls.in(text)) {
        throw texts.problem(language.tag(), "direction_control");
      }
      if (text != null && !text.isEmpty()) {
        all.put(language, text);
      }
    }
    return all;
  }

  private static JsonText texts(Map<Language, String> texts) {
    JsonText json = JsonText.object();
    texts.forEach((language, text) -> json.put(language.tag(), text));
    return json;
  }

  private static void refuseUnknown(JsonBody body, List<String> known) {
    for (String name : body.names()) {
      if (!known.contains(name)) {
        throw body.problem(name, "unknown_field");
      }
    }
  }

  private static <E extends Enum<E>> E word(
      JsonBody body, String field, E[] all, Function<E, String> word, E otherwise) {
    String text = body.optionalText(field);
    return text == null
        ? otherwise
        : Arrays.stream(all)
            .filter(one -> word.apply(one).equals(text))
            .findFirst()
            .orElseThrow(
                () ->
                    body.problem(
                        field,
                        "not_one_of",
                        String.join(", ", Arrays.stream(all).map(word).toList())));
  }

  private static @Nullable Instant time(JsonBody body, String field) {
    String text = body.optionalText(field);
    if (text == null) {
      return null;
    }
    // Four digits of the year: others are no times for PostgreSQL, or too large for milliseconds.
    if (!YEAR.matcher(text).lookingAt()) {
      throw body.problem(field, "not_instant");
    }
    try {
      return Instant.parse(text.toUpperCase(Locale.ROOT));
    } catch (DateTimeParseException e) {
      throw body.problem(field, "not_instant");
    }
  }

  private static @Nullable String text(@Nullable Instant time) {
    return time == null ? null : time.toString();
  }
}
