package fairgate.draw.verify;

import fairgate.draw.tlog.StrictText;
import fairgate.draw.tlog.VerifierKey;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// The file `bundle`: which draw it is, and the key of the house log.
public record BundleHead(String draw, VerifierKey log) {
  public static final String FILE = "bundle";

  private static final Pattern DRAW = Pattern.compile("[a-z0-9][a-z0-9-]{0,39}");

  static Optional<BundleHead> parse(byte[] bytes) {
    List<String> lines = StrictText.utf8(bytes).flatMap(StrictText::lines).orElse(List.of());
    if (lines.size() != 3
        || !lines.get(0).equals("fairgate-bundle/1")
        || !lines.get(1).startsWith("draw ")
        || !lines.get(2).startsWith("log ")) {
      return Optional.empty();
    }
    String draw = lines.get(1).substring("draw ".length());
    return VerifierKey.parse(lines.get(2).substring("log ".length()), VerifierKey.Type.LOG)
        .filter(log -> log.name().endsWith("/log") && DRAW.matcher(draw).matches())
        .map(log -> new BundleHead(draw, log));
  }

  public String text() {
    return "fairgate-bundle/1\ndraw " + draw + "\nlog " + log.text() + "\n";
  }

  public String path(String file) {
    return "draws/" + draw + "/" + file;
  }

  /// The key of the entries tree: that of the log, under another name.
  public VerifierKey entriesKey() {
    String name = log.name();
    String base = name.substring(0, name.length() - "log".length());
    return log.named(base + "draws/" + draw);
  }
}
