package fairgate.catalog;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import fairgate.catalog.ProductContent.Description;
import fairgate.catalog.ProductContent.Tickets;
import fairgate.kernel.BidiControls;
import fairgate.kernel.Resemblance;
import fairgate.platform.json.JsonText;
import fairgate.platform.text.Language;
import fairgate.platform.text.Markdown;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Converts a product's content from and to JSON. Absent fields are empty; unknown fields, wrong
/// types and values out of bounds are problems.
public final class ContentJson {
  /// Maximum length of a document: three descriptions of four bytes a character, and the rest.
  public static final int MAX_BYTES = 96 * 1024;

  private static final List<String> FIELDS =
      List.of(
          "names",
          "descriptions",
          "venue",
          "starts_at",
          "seller",
          "terms_url",
          "images",
          "buyer_fields",
          "tickets");
  private static final String TRANSFER_UNTIL = "transfer_until";
  private static final int LONGEST_LINE = 200;
  private static final int LONGEST_DESCRIPTION = 5_000;
  private static final int LONGEST_URL = 2_000;
  private static final int MOST_IMAGES = 8;
  private static final int LONGEST_LABEL = 100;

  /// Fields of the kind `text`; of each other kind there is one at most.
  private static final int MOST_TEXTS = 4;

  private static final int MOST_FIELDS = BuyerField.Kind.values().length - 1 + MOST_TEXTS;
  private static final Set<String> FIELD_FIELDS = Set.of("kind", "key", "labels", "required");
  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private final List<PolicyProblem> problems = new ArrayList<>();

  private ContentJson() {}

  /// A document that was read.
  ///
  /// @param content as far as it is valid
  /// @param problems empty when all of it is
  public record Outcome(ProductContent content, List<PolicyProblem> problems) {
    public Outcome {
      problems = List.copyOf(problems);
    }
  }

  public static Outcome read(String json) {
    try {
      ContentJson reader = new ContentJson();
      ProductContent content = reader.content(MAPPER.readTree(json));
      return new Outcome(content, reader.problems);
    } catch (JsonProcessingException e) {
      return new Outcome(ProductContent.EMPTY, List.of(PolicyProblem.of("", "malformed_json")));
    }
  }

  private ProductContent content(JsonNode root) {
    if (!root.isObject()) {
      problem("", "not_object");
      return ProductContent.EMPTY;
    }
    root.properties()
        .forEach(
            entry -> {
              if (!FIELDS.contains(entry.getKey())) {
                Resemblance.nearest(entry.getKey(), FIELDS)
                    .ifPresentOrElse(
                        near -> problem(entry.getKey(), "unknown_field_near", near),
                        () -> problem(entry.getKey(), "unknown_field"));
              }
            });
    return new ProductContent(
        names(root.path("names")),
        descriptions(root.path("descriptions")),
        line(root.path("venue"), "venue"),
        instant(root.path("starts_at"), "starts_at"),
        line(root.path("seller"), "seller"),
        url(root.path("terms_url"), "terms_url"),
        images(root.path("images")),
        buyerFields(root.path("buyer_fields")),
        tickets(root.path("tickets")));
  }

  private Map<Language, String> names(JsonNode node) {
    Map<Language, String> names = new EnumMap<>(Language.class);
    byLanguage(node, "names", LONGEST_LINE)
        .forEach((language, name) -> names.put(language, name.strip()));
    return names;
  }

  private Map<Language, Description> descriptions(JsonNode node) {
    Map<Language, Description> all = new EnumMap<>(Language.class);
    byLanguage(node, "descriptions", LONGEST_DESCRIPTION)
        .forEach(
            (language, text) -> {
              Optional<Markdown.Rendered> rendered = Markdown.render(text);
              if (rendered.isEmpty()) {
                problem("descriptions." + language.tag(), "text_too_deep");
              } else {
                Markdown.Rendered shown = rendered.get();
                all.put(language, new Description(text, shown.html(), shown.plain()));
              }
            });
    return all;
  }

  private Map<Language, String> byLanguage(JsonNode node, String field, int longest) {
    Map<Language, String> texts = new EnumMap<>(Language.class);
    if (isAbsent(node)) {
      return texts;
    }
    if (!node.isObject()) {
      problem(field, "not_object");
      return texts;
    }
    node.properties()
        .forEach(
            entry -> {
              String path = field + "." + entry.getKey();
              Language language = language(entry.getKey());
              if (language == null) {
                problem(path, "unknown_field");
              } else {
                String text = text(entry.getValue(), path, 1, longest);
                if (text != null) {
                  texts.put(language, text);
                }
              }
            });
    return texts;
  }

  private static @Nullable Language language(String tag) {
    for (Language language : Language.values()) {
      if (language.tag().equals(tag)) {
        return language;
      }
    }
    return null;
  }

  private String line(JsonNode node, String field) {
    String text = isAbsent(node) ? "" : text(node, field, 0, LONGEST_LINE);
    return text == null ? "" : text.strip();
  }

  /// The text; null when it has a problem.
  private @Nullable String text(JsonNode node, String field, int shortest, int longest) {
    String text = node.isTextual() ? node.asText() : null;
    if (text == null
        || text.codePointCount(0, text.length()) < shortest
        || text.codePointCount(0, text.length()) > longest
        || (shortest > 0 && text.isBlank())) {
      problem(field, "bad_length", Integer.toString(shortest), Integer.toString(longest));
      return null;
    }
    if (BidiControls.in(text)) {
      problem(field, "direction_control");
      return null;
    }
    return text;
  }

  private @Nullable Tickets tickets(JsonNode node) {
    if (isAbsent(node)) {
      return null;
    }
    if (!node.isObject()) {
      problem("tickets", "not_object");
      return null;
    }
    node.fieldNames()
        .forEachRemaining(
            name -> {
              if (!name.equals(TRANSFER_UNTIL)) {
                problem("tickets." + name, "unknown_field");
              }
            });
    return new Tickets(instant(node.path(TRANSFER_UNTIL), "tickets." + TRANSFER_UNTIL));
  }

  private @Nullable Instant instant(JsonNode node, String field) {
    if (isAbsent(node)) {
      return null;
    }
    try {
      return Instant.parse(node.asText());
    } catch (DateTimeParseException e) {
      problem(field, "not_instant");
      return null;
    }
  }

  private String url(JsonNode node, String field) {
    if (isAbsent(node) || (node.isTextual() && node.asText().isEmpty())) {
      return "";
    }
    if (!node.isTextual() || !isHttps(node.asText())) {
      problem(field, "not_https");
      return "";
    }
    return node.asText();
  }

  private static boolean isHttps(String url) {
    try {
      URI address = new URI(url);
      return url.length() <= LONGEST_URL
          && "https".equals(address.getScheme())
          && address.getHost() != null
          && address.getRawUserInfo() == null;
    } catch (URISyntaxException e) {
      return false;
    }
  }

  private List<String> images(JsonNode node) {
    List<String> images = new ArrayList<>();
    if (isAbsent(node)) {
      return images;
    }
    if (!node.isArray() || node.size() > MOST_IMAGES) {
      problem("images", "too_many", Integer.toString(MOST_IMAGES));
      return images;
    }
    for (int i = 0; i < node.size(); i++) {
      String url = url(node.path(i), "images[" + i + "]");
      if (!url.isEmpty()) {
        images.add(url);
      }
    }
    return images;
  }

  private List<BuyerField> buyerFields(JsonNode node) {
    List<BuyerField> fields = new ArrayList<>();
    if (isAbsent(node)) {
      return fields;
    }
    if (!node.isArray() || node.size() > MOST_FIELDS) {
      problem("buyer_fields", "too_many", Integer.toString(MOST_FIELDS));
      return fields;
    }
    for (int i = 0; i < node.size(); i++) {
      String path = "buyer_fields[" + i + "]";
      BuyerField field = buyerField(node.path(i), path);
      if (field == null) {
        continue;
      }
      if (fields.stream().anyMatch(other -> other.key().equals(field.key()))) {
        problem(path, "used_twice");
      }
      fields.add(field);
    }
    if (fields.stream().filter(field -> field.kind() == BuyerField.Kind.TEXT).count()
        > MOST_TEXTS) {
      problem("buyer_fields", "too_many", Integer.toString(MOST_TEXTS));
    }
    return fields;
  }

  /// The field; null when it has a problem.
  private @Nullable BuyerField buyerField(JsonNode node, String path) {
    int before = problems.size();
    if (!node.isObject()) {
      problem(path, "not_object");
      return null;
    }
    BuyerField.Kind kind = BuyerField.Kind.of(node.path("kind").asText()).orElse(null);
    if (kind == null) {
      problem(path + ".kind", "not_one_of", "name, email, phone, address, text");
      return null;
    }
    boolean isText = kind == BuyerField.Kind.TEXT;
    node.properties()
        .forEach(
            entry -> {
              String name = entry.getKey();
              boolean ofTexts = name.equals("key") || name.equals("labels");
              if (!FIELD_FIELDS.contains(name) || (ofTexts && !isText)) {
                problem(path + '.' + name, "unknown_field");
              }
            });
    if (!isAbsent(node.path("required")) && !node.path("required").isBoolean()) {
      problem(path + ".required", "not_boolean");
    }
    String key = isText ? node.path("key").asText() : kind.word();
    if (isText && (!key.matches("[a-z][a-z0-9_]{0,31}") || BuyerField.Kind.of(key).isPresent())) {
      problem(path + ".key", "not_word");
    }
    Map<Language, String> labels =
        isText ? byLanguage(node.path("labels"), path + ".labels", LONGEST_LABEL) : Map.of();
    if (isText && labels.isEmpty() && problems.size() == before) {
      problem(path + ".labels", "missing");
    }
    return problems.size() > before
        ? null
        : new BuyerField(kind, key, labels, node.path("required").asBoolean());
  }

  private static boolean isAbsent(JsonNode node) {
    return node.isMissingNode() || node.isNull();
  }

  private void problem(String field, String problem, String... args) {
    problems.add(PolicyProblem.of(field, problem, args));
  }

  /// Writes the document that `read` reads.
  public static String write(ProductContent content) {
    JsonText names = JsonText.object();
    JsonText descriptions = JsonText.object();
    for (Language language : Language.values()) {
      if (content.names().containsKey(language)) {
        names = names.put(language.tag(), content.names().get(language));
      }
      Description description = content.descriptions().get(language);
      if (description != null) {
        descriptions = descriptions.put(language.tag(), description.markdown());
      }
    }
    JsonText images = JsonText.array();
    for (String image : content.images()) {
      images = images.add(image);
    }
    JsonText fields = JsonText.array();
    for (BuyerField field : content.buyerFields()) {
      fields = fields.add(write(field));
    }
    Instant starts = content.startsAt();
    return JsonText.object()
        .put("names", names)
        .put("descriptions", descriptions)
        .put("venue", content.venue())
        .put("starts_at", starts == null ? null : starts.toString())
        .put("seller", content.seller())
        .put("terms_url", content.termsUrl())
        .put("images", images)
        .put("buyer_fields", fields)
        .putAny("tickets", content.tickets() == null ? null : write(content.tickets()))
        .toString();
  }

  private static JsonText write(Tickets tickets) {
    Instant until = tickets.transferUntil();
    return JsonText.object().put(TRANSFER_UNTIL, until == null ? null : until.toString());
  }

  private static JsonText write(BuyerField field) {
    JsonText json = JsonText.object().put("kind", field.kind().word());
    if (field.kind() == BuyerField.Kind.TEXT) {
      JsonText labels = JsonText.object();
      for (Language language : Language.values()) {
        if (field.labels().containsKey(language)) {
          labels = labels.put(language.tag(), field.labels().get(language));
        }
      }
      json = json.put("key", field.key()).put("labels", labels);
    }
    return json.put("required", field.required());
  }
}
