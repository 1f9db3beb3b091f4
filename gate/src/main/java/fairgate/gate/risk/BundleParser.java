package fairgate.gate.risk;

import fairgate.gate.risk.BundleJson.At;
import fairgate.kernel.BidiControls;
import fairgate.kernel.Hashes;
import fairgate.platform.text.Language;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Parses one bundle and collects all its problems. For one use, by one thread.
final class BundleParser {
  static final int LONGEST = 1_000_000;

  private static final int FORMAT = 1;
  private static final int MOST_RULES = 200;
  private static final int LONGEST_TEXT = 300;
  private static final int MOST_POINTS = 100;
  private static final Pattern CODE = Pattern.compile("[a-z][a-z0-9_]{2,63}");
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9 ._-]{1,64}");

  private final String json;
  private final boolean refusesHidden;
  private final List<RiskBundle.Problem> problems = new ArrayList<>();
  private final Map<String, At> conditions = new HashMap<>();
  private @Nullable String rule;

  /// @param refusesHidden false for a document that was published before: earlier versions of the
  ///   server accepted hidden characters in its texts
  BundleParser(String json, boolean refusesHidden) {
    this.json = json;
    this.refusesHidden = refusesHidden;
  }

  /// The problems so far, in the order of the document.
  List<RiskBundle.Problem> problems() {
    return problems.stream()
        .sorted(
            Comparator.comparingInt(RiskBundle.Problem::line)
                .thenComparingInt(RiskBundle.Problem::column))
        .toList();
  }

  /// The bundle; null when the document has problems.
  @Nullable RiskBundle parse() {
    if (json.length() > LONGEST) {
      problems.add(
          new RiskBundle.Problem(
              1, 1, null, "The document has more than " + LONGEST + " characters."));
      return null;
    }
    try {
      RiskBundle bundle = bundle(BundleJson.read(json));
      return problems.isEmpty() ? bundle : null;
    } catch (BundleJson.Malformed e) {
      problems.add(e.problem());
      return null;
    }
  }

  /// Adds an error in the condition of a rule, at its place in the document.
  void problemInCondition(RiskBundle.Rule broken, RuleEngine.Problem problem) {
    At condition = conditions.get(broken.code());
    int start = condition == null ? 0 : condition.offset();
    int offset = BundleJson.offsetInString(json, start, problem.offset());
    int lineStart = json.lastIndexOf('\n', offset - 1) + 1;
    int line = (int) json.substring(0, offset).chars().filter(c -> c == '\n').count() + 1;
    problems.add(
        new RiskBundle.Problem(line, offset - lineStart + 1, broken.code(), problem.message()));
  }

  private @Nullable RiskBundle bundle(At root) {
    Members members = members(root, "format", "schema", "name", "note", "bands", "rules", "model");
    if (members == null) {
      return null;
    }
    long format = members.integer("format", 1, FORMAT, FORMAT);
    long version = members.integer("schema", 1, FeatureSchema.LATEST, FeatureSchema.LATEST);
    String name = members.text("name", NAME, "1 to 64 letters, digits, spaces and . _ -");
    members.optionalText("note", LONGEST_TEXT);
    Map<RiskBundle.Band, RiskBundle.BandRule> bands = bands(members);
    List<RiskBundle.Rule> rules = rules(members);
    FeatureSchema schema = FeatureSchema.version((int) version).orElse(FeatureSchema.latest());
    At trees = members.get("model");
    TreeModel model = trees == null ? null : new ModelParser(schema).parse(trees, this::problem);
    return format == FORMAT && problems.isEmpty()
        ? new RiskBundle(Hashes.sha256Hex(json), json, schema.version(), name, bands, rules, model)
        : null;
  }

  private Map<RiskBundle.Band, RiskBundle.BandRule> bands(Members bundle) {
    Map<RiskBundle.Band, RiskBundle.BandRule> bands = new EnumMap<>(RiskBundle.Band.class);
    At at = bundle.required("bands");
    Members all =
        at == null
            ? null
            : members(
                at,
                Arrays.stream(RiskBundle.Band.values())
                    .map(RiskBundle.Band::word)
                    .toArray(String[]::new));
    if (all == null) {
      return bands;
    }
    int before = Integer.MIN_VALUE;
    RiskAction milder = RiskAction.PASS;
    for (RiskBundle.Band band : RiskBundle.Band.values()) {
      At one = all.required(band.word());
      Members members = one == null ? null : members(one, "from", "action");
      if (one == null || members == null) {
        continue;
      }
      int from = Integer.MIN_VALUE;
      if (band == RiskBundle.Band.LOW) {
        members.refuse("from", "The lowest band begins at no score.");
      } else {
        // The stand-ins for wrong members give no further problems.
        from = (int) members.integer("from", -10_000, 10_000, before + 1L);
        if (from <= before) {
          problem(one, "A band begins above the band before it.");
        }
        before = from;
      }
      RiskAction action = members.word("action", RiskAction::named, milder);
      if (action.compareTo(milder) < 0) {
        problem(one, "A band is not milder than the band before it.");
      }
      milder = action;
      bands.put(band, new RiskBundle.BandRule(from, action));
    }
    return bands;
  }

  private List<RiskBundle.Rule> rules(Members bundle) {
    List<RiskBundle.Rule> rules = new ArrayList<>();
    At at = bundle.required("rules");
    if (at == null) {
      return rules;
    }
    if (!(at.value() instanceof List<?> items)) {
      problem(at, "A list of rules is expected.");
      return rules;
    }
    if (items.size() > MOST_RULES) {
      problem(at, "There are more than " + MOST_RULES + " rules.");
      return rules;
    }
    Set<String> codes = new HashSet<>();
    for (Object item : items) {
      RiskBundle.Rule parsed = rule((At) item);
      if (parsed != null && !parsed.code().isEmpty() && !codes.add(parsed.code())) {
        problem((At) item, "Another rule has the code " + parsed.code() + ".");
      }
      if (parsed != null) {
        rules.add(parsed);
      }
      rule = null;
    }
    return rules;
  }

  private RiskBundle.@Nullable Rule rule(At at) {
    Members members =
        members(at, "code", "when", "points", "band", "shadow", "reason", "text", "help");
    if (members == null) {
      return null;
    }
    String code = members.text("code", CODE, "3 to 64 lower-case letters, digits and _");
    if (code.equals(RiskEngine.MODEL)) {
      problem(at, "The code " + code + " is taken.");
    }
    rule = code;
    At condition = members.required("when");
    String when = members.anyText("when");
    if (condition != null) {
      conditions.putIfAbsent(code, condition);
      if (when.length() > RuleEngine.LONGEST) {
        problem(condition, "The condition has more than " + RuleEngine.LONGEST + " characters.");
      }
    }
    int points = (int) members.integer("points", -MOST_POINTS, MOST_POINTS, 0);
    RiskBundle.Band band =
        members.get("band") == null
            ? null
            : members.word("band", RiskBundle.Band::named, RiskBundle.Band.LOW);
    return new RiskBundle.Rule(
        code,
        when,
        points,
        band,
        members.flag("shadow", false),
        members.word("reason", PublicReason::named, PublicReason.COMBINATION),
        texts(members),
        remedies(members));
  }

  private Map<Language, String> texts(Members rule) {
    Map<Language, String> texts = new EnumMap<>(Language.class);
    At at = rule.required("text");
    Members members =
        at == null
            ? null
            : members(at, Language.EN.tag(), Language.ZH_HANT.tag(), Language.ZH_HANS.tag());
    if (members != null) {
      for (Language language : Language.values()) {
        texts.put(language, members.anyText(language.tag()));
        members.optionalText(language.tag(), LONGEST_TEXT);
      }
    }
    return texts;
  }

  private List<Remedy> remedies(Members rule) {
    At at = rule.get("help");
    if (at == null) {
      return List.of();
    }
    if (!(at.value() instanceof List<?> items)) {
      problem(at, "A list of words is expected.");
      return List.of();
    }
    List<Remedy> remedies = new ArrayList<>();
    for (Object item : items) {
      At one = (At) item;
      Optional<Remedy> remedy =
          one.value() instanceof String word ? Remedy.named(word) : Optional.empty();
      remedy.ifPresentOrElse(
          remedies::add, () -> problem(one, "Unknown help; known are " + words(Remedy.values())));
    }
    return remedies;
  }

  private static String words(Enum<?>[] values) {
    return String.join(
        ", ", Arrays.stream(values).map(value -> value.name().toLowerCase(Locale.ROOT)).toList());
  }

  private void problem(At at, String message) {
    problems.add(new RiskBundle.Problem(at.line(), at.column(), rule, message));
  }

  private @Nullable Members members(At at, String... known) {
    Map<?, ?> object = at.object();
    if (object == null) {
      problem(at, "An object is expected.");
      return null;
    }
    object.forEach(
        (name, value) -> {
          if (!List.of(known).contains(name)) {
            problem(
                (At) value, "Unknown member " + name + "; known are " + String.join(", ", known));
          }
        });
    return new Members(at, object);
  }

  /// Typed access to the members of an object. Every wrong member is a problem, and its value a
  /// stand-in.
  private final class Members {
    private final At at;
    private final Map<?, ?> values;

    Members(At at, Map<?, ?> values) {
      this.at = at;
      this.values = values;
    }

    @Nullable At get(String name) {
      return (At) values.get(name);
    }

    @Nullable At required(String name) {
      At value = get(name);
      if (value == null) {
        problem(at, "The member " + name + " is missing.");
      }
      return value;
    }

    void refuse(String name, String message) {
      At value = get(name);
      if (value != null) {
        problem(value, message);
      }
    }

    long integer(String name, long least, long most, long standIn) {
      At value = required(name);
      if (value == null) {
        return standIn;
      }
      if (value.value() instanceof Long number && number >= least && number <= most) {
        return number;
      }
      problem(value, name + " is a whole number from " + least + " to " + most + ".");
      return standIn;
    }

    boolean flag(String name, boolean standard) {
      At value = get(name);
      if (value == null) {
        return standard;
      }
      if (value.value() instanceof Boolean flag) {
        return flag;
      }
      problem(value, name + " is true or false.");
      return standard;
    }

    String anyText(String name) {
      At value = required(name);
      if (value == null) {
        return "";
      }
      if (value.value() instanceof String text && !text.isBlank()) {
        return text;
      }
      problem(value, name + " is a text.");
      return "";
    }

    void optionalText(String name, int longest) {
      At value = get(name);
      if (value != null && !(value.value() instanceof String text && text.length() <= longest)) {
        problem(value, name + " is a text of at most " + longest + " characters.");
      } else if (refusesHidden
          && value != null
          && value.value() instanceof String text
          && BidiControls.areHidden(text)) {
        int hidden = text.codePoints().filter(BidiControls::isHidden).findFirst().orElseThrow();
        problem(value, "%s has the hidden character U+%04X.".formatted(name, hidden));
      }
    }

    String text(String name, Pattern pattern, String meaning) {
      At value = required(name);
      if (value == null) {
        return "";
      }
      if (value.value() instanceof String text && pattern.matcher(text).matches()) {
        return text;
      }
      problem(value, name + " has " + meaning + ".");
      return "";
    }

    <E extends Enum<E>> E word(String name, Function<String, Optional<E>> named, E standIn) {
      At value = required(name);
      if (value == null) {
        return standIn;
      }
      Optional<E> found =
          value.value() instanceof String word ? named.apply(word) : Optional.empty();
      return found.orElseGet(
          () -> {
            problem(
                value,
                name + " is one of " + words(standIn.getDeclaringClass().getEnumConstants()) + ".");
            return standIn;
          });
    }
  }
}
