package fairgate.app.client;

import fairgate.draw.lots.FairnessTests;
import fairgate.draw.tlog.Hash;
import fairgate.draw.verify.Verdict;
import fairgate.draw.verify.Verdict.Finding;
import fairgate.draw.verify.Verdict.Mine;
import fairgate.platform.json.JsonText;
import fairgate.platform.text.Language;
import fairgate.platform.text.Messages;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/// A verdict on a draw in plain words, or as JSON for programs.
final class VerdictText {
  /// Findings that a reader should notice although the check passed.
  private static final Set<String> WARNINGS =
      Set.of("rules_unwitnessed", "sealed_unwitnessed", "fallback", "second_beacon", "light");

  private final Language language;
  private final boolean isKeyPinned;

  /// @param isKeyPinned whether the caller named the key of the log
  VerdictText(Language language, boolean isKeyPinned) {
    this.language = language;
    this.isKeyPinned = isKeyPinned;
  }

  Stream<String> lines(Verdict verdict) {
    Stream<String> findings = verdict.findings().stream().map(this::finding);
    Stream<String> mine = verdict.mine().stream().map(this::mine);
    Stream<String> fairness = verdict.fairness().stream().map(this::fairness);
    Stream<String> end =
        Stream.of(conclusion(verdict), isKeyPinned ? "" : text("verify.key"))
            .filter(line -> !line.isEmpty());
    return Stream.of(findings, mine, fairness, end).flatMap(lines -> lines);
  }

  private String text(String key, Object... values) {
    return Messages.text(language, key, values);
  }

  private String finding(Finding finding) {
    String mark = WARNINGS.contains(finding.key()) ? "! " : "✓ ";
    return mark + text("verify.found." + finding.key(), finding.values().toArray());
  }

  private String mine(Mine mine) {
    if (mine.lot().isEmpty()) {
      return "★ " + text("verify.mine", mine.index() + 1);
    }
    String lot = mine.lot().get().hex();
    return mine.rank().isEmpty()
        ? "★ " + text("verify.mine.lot", mine.index() + 1, lot)
        : "★ " + text("verify.mine.rank", mine.index() + 1, lot, mine.rank().get());
  }

  private String fairness(FairnessTests tests) {
    return "· " + text("verify.fairness", z(tests.marginal()), z(tests.joint()));
  }

  private static String z(FairnessTests.ChiSquare test) {
    return String.format(Locale.ROOT, "%.2f", test.z());
  }

  private String conclusion(Verdict verdict) {
    if (verdict.isOk()) {
      return text("verify.ok." + verdict.stage().word(), verdict.draw());
    }
    String reason = "✗ " + text("verify.code." + verdict.code().word());
    String detail = verdict.detail().isEmpty() ? "" : " (" + verdict.detail() + ")";
    String end = text(verdict.code().isUnreadable() ? "verify.unreadable" : "verify.failed");
    return reason + detail + "\n" + end + " " + verdict.code().word();
  }

  static String json(Verdict verdict) {
    JsonText json =
        JsonText.object()
            .put("code", verdict.code().word())
            .put("detail", verdict.detail())
            .put("stage", verdict.stage().word())
            .put("draw", verdict.draw())
            .put("size", verdict.size())
            .put("seed", verdict.seed().map(Hash::hex).orElse(null))
            .put("result_root", verdict.resultRoot().map(Hash::hex).orElse(null));
    verdict.mine().stream()
        .findFirst()
        .ifPresent(
            mine -> {
              json.put("index", mine.index());
              json.put("lot", mine.lot().map(Hash::hex).orElse(null));
              mine.rank().ifPresent(rank -> json.put("rank", rank));
            });
    return json.toString();
  }
}
