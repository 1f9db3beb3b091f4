package fairgate.bench.soak;

import fairgate.bench.RawRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Checks that every key without a TTL is listed as one in `docs/redis-keys.md`.
final class EternalKeys {
  private static final Pattern ROW = Pattern.compile("^\\| (`.*`) \\|.*\\| - \\|$");
  private static final Pattern NAME = Pattern.compile("`([^`]+)`");
  private static final String NO_END = "-1";

  private final List<Pattern> documented = new ArrayList<>();

  EternalKeys(Path root) throws IOException {
    for (String line : Files.readAllLines(root.resolve("docs/redis-keys.md"))) {
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        NAME.matcher(row.group(1)).results().forEach(name -> documented.add(any(name.group(1))));
      }
    }
  }

  /// `order:{order_id}` matches any order. LINE's names have braces of their own.
  private static Pattern any(String name) {
    String own = name.replace("{line}", "<line>").replaceAll("\\{[^}]+}", "\0");
    return Pattern.compile(
        Pattern.quote(own.replace("<line>", "{line}")).replace("\0", "\\E.+\\Q"));
  }

  void judge(RawRedis redis, Verdicts verdicts) throws IOException, InterruptedException {
    long[] all = new long[2];
    Map<String, Integer> strangers = new TreeMap<>();
    String cursor = "0";
    do {
      List<String> found = List.of(redis.call("SCAN", cursor, "COUNT", "2000").split("\n", -1));
      cursor = found.getFirst();
      List<String> keys =
          found.subList(1, found.size()).stream().filter(k -> !k.isEmpty()).toList();
      List<String> ends = new ArrayList<>(keys.size());
      double _ = redis.pipeline(keys.size(), 200, i -> List.of("TTL", keys.get(i)), ends::add);
      for (int i = 0; i < keys.size(); i++) {
        all[0]++;
        if (ends.get(i).equals(NO_END)) {
          all[1]++;
          String key = keys.get(i);
          if (documented.stream().noneMatch(name -> name.matcher(key).matches())) {
            strangers.merge(key.replaceAll("[0-9A-Za-z_-]{16,}", "*"), 1, Integer::sum);
          }
        }
      }
    } while (!cursor.equals("0"));
    verdicts.row(
        "keys in Redis, and those of them without an end",
        "%,d, %,d".formatted(all[0], all[1]),
        strangers.isEmpty() ? "all documented" : strangers.toString(),
        "all documented",
        strangers.isEmpty());
  }
}
