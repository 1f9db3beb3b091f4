package fairgate.app.config;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import fairgate.kernel.Resemblance;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Reads the settings: defaults, then the file, then the environment, then command-line options;
/// later sources win. Reports all problems together.
public final class ConfigReader {
  /// The file that is read when none is named and it exists.
  static final Path DEFAULT_FILE = Path.of("fairgate.yaml");

  /// Environment variables of the launcher script and of commands, which are not settings.
  private static final Set<String> LAUNCHER =
      Set.of(
          "FAIRGATE_JAVA_OPTS", "FAIRGATE_CHROMIUM", "FAIRGATE_HELM", "FAIRGATE_BACKUP_PASSPHRASE");

  private static final String REDIS_URL = "REDIS_URL";
  private static final String REDIS_ADDR = "REDIS_ADDR";
  private static final String REDIS_PASSWORD = "REDIS_PASSWORD";
  private static final Pattern HOST_AND_PORT =
      Pattern.compile("([A-Za-z0-9._-]*|\\[[0-9A-Fa-f:.]+])(:\\d{1,5})?");

  /// The ending of variables that name a file with a secret.
  private static final String FILE = "_FILE";

  /// Environment variables that Kubernetes sets for a service named "fairgate".
  private static final String SERVICE_LINK = "FAIRGATE_(SERVICE_.*|PORT(_\\d+_.*)?)";

  private static final YAMLMapper YAML =
      YAMLMapper.builder(
              YAMLFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build())
          .build();

  private final Map<String, ConfigKey> keys =
      ConfigRecords.KEYS.stream().collect(Collectors.toMap(ConfigKey::name, key -> key));
  private final Map<String, String> values = new LinkedHashMap<>();
  private final Map<String, String> sources = new LinkedHashMap<>();
  private final List<String> problems = new ArrayList<>();

  private ConfigReader() {
    ConfigRecords.KEYS.forEach(key -> values.put(key.name(), key.fallback()));
  }

  /// Reads and checks all settings.
  ///
  /// @param file file named on the command line; must exist
  /// @param options command-line settings by path
  /// @throws Errors with everything that is wrong
  public static ConfigValues read(
      Optional<Path> file, Map<String, String> environment, Map<String, String> options) {
    ConfigReader reader = new ConfigReader();
    if (file.isPresent()) {
      reader.file(file.get());
    } else if (Files.exists(DEFAULT_FILE)) {
      reader.file(DEFAULT_FILE);
    }
    reader.environment(reader.withRedisParts(reader.withSecretsOfFiles(environment)));
    options.forEach((name, value) -> reader.set(name, value, "--" + name));
    if (!reader.problems.isEmpty()) {
      throw new Errors(reader.problems);
    }
    return new ConfigValues(reader.values, reader.sources);
  }

  private void file(Path file) {
    try {
      flatten("", YAML.readTree(Files.readString(file)), file.toString());
    } catch (JsonProcessingException e) {
      var where = e.getLocation() == null ? "" : ", line " + e.getLocation().getLineNr();
      problems.add(file + where + ": " + e.getOriginalMessage());
    } catch (IOException e) {
      problems.add(file + " cannot be read: " + e);
    }
  }

  private void flatten(String path, JsonNode node, String source) {
    if (node.isObject()) {
      String prefix = path.isEmpty() ? "" : path + ".";
      node.properties().forEach(e -> flatten(prefix + e.getKey(), e.getValue(), source));
    } else if (path.isEmpty()) {
      if (!node.isMissingNode() && !node.isNull()) {
        problems.add(source + ": expected sections and keys, not a single value");
      }
    } else if (!keys.containsKey(path)) {
      unknown(source, path, keys.keySet());
    } else if (node.isArray()) {
      List<String> items = new ArrayList<>();
      node.forEach(item -> items.add(item.asText()));
      set(path, String.join(",", items), source);
    } else {
      set(path, node.isNull() ? "" : node.asText(), source);
    }
  }

  /// Replaces each `X_FILE` by `X` with the content of that file, for settings that are secrets:
  /// `FAIRGATE_MASTER_SECRET_FILE=/run/secrets/master`.
  private Map<String, String> withSecretsOfFiles(Map<String, String> environment) {
    Map<String, String> all = new LinkedHashMap<>(environment);
    ConfigRecords.KEYS.stream()
        .filter(key -> key.kind().hidden())
        .flatMap(key -> key.environment().stream())
        .filter(name -> !environment.getOrDefault(name + FILE, "").isEmpty())
        .forEach(name -> secretOfFile(name, environment, all));
    return all;
  }

  /// Joins `REDIS_ADDR`, `REDIS_PASSWORD` and `REDIS_DB`, the variables of many programs, to
  /// `REDIS_URL`, unless that is set.
  private Map<String, String> withRedisParts(Map<String, String> environment) {
    String address = environment.getOrDefault(REDIS_ADDR, "").strip();
    boolean whole =
        Stream.of(REDIS_URL, "FAIRGATE_REDIS_URL")
            .anyMatch(name -> !environment.getOrDefault(name, "").isEmpty());
    if (whole || address.isEmpty()) {
      return environment;
    }
    Map<String, String> all = new LinkedHashMap<>(environment);
    if (!environment.getOrDefault(REDIS_PASSWORD + FILE, "").isEmpty()) {
      secretOfFile(REDIS_PASSWORD, environment, all);
    }
    Matcher parts = HOST_AND_PORT.matcher(address);
    if (!parts.matches()) {
      problems.add(
          REDIS_ADDR
              + ": expected host:port, such as localhost:6379; an address with :// is "
              + REDIS_URL);
      return all;
    }
    String database = environment.getOrDefault("REDIS_DB", "").strip();
    if (!database.matches("\\d{0,4}")) {
      problems.add("REDIS_DB: \"" + database + "\" is wrong: expected the number of a database");
      return all;
    }
    String password = all.getOrDefault(REDIS_PASSWORD, "");
    String host = parts.group(1).isEmpty() ? "localhost" : parts.group(1);
    all.put(
        REDIS_URL,
        "redis://"
            + (password.isEmpty()
                ? ""
                : ":" + URLEncoder.encode(password, UTF_8).replace("+", "%20") + "@")
            + host
            + Objects.requireNonNullElse(parts.group(2), ":6379")
            + (database.isEmpty() || database.equals("0") ? "" : "/" + database));
    return all;
  }

  private void secretOfFile(String name, Map<String, String> environment, Map<String, String> all) {
    String file = String.valueOf(all.remove(name + FILE));
    if (!environment.getOrDefault(name, "").isEmpty()) {
      problems.add("environment: set " + name + " or " + name + FILE + ", not both");
      return;
    }
    try {
      all.put(name, Files.readString(Path.of(file)).strip());
    } catch (IOException e) {
      problems.add(name + FILE + ": " + file + " cannot be read: " + e);
    }
  }

  private void environment(Map<String, String> environment) {
    Set<String> known = new TreeSet<>();
    for (ConfigKey key : ConfigRecords.KEYS) {
      known.addAll(key.environment());
      key.environment().stream()
          .filter(name -> !environment.getOrDefault(name, "").isEmpty())
          .filter(name -> !isServiceLink(name, environment.getOrDefault(name, "")))
          .findFirst()
          .ifPresent(name -> set(key.name(), environment.getOrDefault(name, ""), name));
    }
    environment.forEach(
        (name, value) -> {
          boolean ours = name.startsWith("FAIRGATE_") && !LAUNCHER.contains(name);
          if (ours && !known.contains(name) && !isServiceLink(name, value)) {
            unknown("environment", name, known);
          }
        });
  }

  private static boolean isServiceLink(String name, String value) {
    boolean plainPort = name.equals("FAIRGATE_PORT") && !value.contains("://");
    return name.matches(SERVICE_LINK) && !plainPort;
  }

  private void set(String name, String value, String source) {
    ConfigKey key = keys.get(name);
    if (key == null) {
      unknown(source, name, keys.keySet());
      return;
    }
    Optional<String> expected = value.isEmpty() ? Optional.empty() : key.kind().problem(value);
    if (expected.isPresent()) {
      String shown = key.kind().hidden() ? "" : " \"" + value + "\" is wrong:";
      problems.add(source + ": " + name + shown + " expected " + expected.get());
    }
    values.put(name, value.isEmpty() ? key.fallback() : value);
    if (!value.isEmpty()) {
      sources.put(name, source);
    }
  }

  private void unknown(String source, String name, Set<String> known) {
    String guess =
        Resemblance.nearest(name, known).map(near -> "; did you mean " + near + "?").orElse("");
    problems.add(source + ": there is no setting " + name + guess);
  }

  /// The configuration is invalid. Contains all problems.
  public static final class Errors extends RuntimeException {
    private final transient List<String> problems;

    public Errors(List<String> problems) {
      super("The configuration is wrong:\n  - " + String.join("\n  - ", problems));
      this.problems = List.copyOf(problems);
    }

    /// One line per problem: the setting, its value, and the expected values.
    public List<String> problems() {
      return problems;
    }
  }
}
