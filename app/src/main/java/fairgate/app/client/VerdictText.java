package fairgate.app.client;

import fairgate.draw.lots.FairnessTests;
import fairgate.draw.tlog.Hash;
import fairgate.draw.verify.Absence;
import fairgate.draw.verify.RoomVerifier.RoomVerdict;
import fairgate.draw.verify.Verdict;
import fairgate.draw.verify.Verdict.Finding;
import fairgate.draw.verify.Verdict.Mine;
import fairgate.draw.verify.VerdictCode;
import fairgate.platform.json.JsonText;
import fairgate.platform.text.Language;
import fairgate.platform.text.Messages;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A verdict on a draw of a sale or a waiting room in plain words, or as JSON for programs.
///
/// @param isKeyPinned whether the caller named the key of the log
record VerdictText(Language language, boolean isKeyPinned) {
  Stream<String> lines(Verdict verdict) {
    Stream<String> findings = verdict.findings().stream().map(this::finding);
    Stream<String> mine = verdict.mine().stream().map(this::mine);
    Stream<String> fairness = verdict.fairness().stream().map(this::fairness);
    Stream<String> end =
        verdict.isOk()
            ? Stream.of(text("verify.ok." + reached(verdict), verdict.draw()))
            : failure(verdict.code(), verdict.detail());
    return Stream.of(findings, mine, fairness, end, key()).flatMap(lines -> lines);
  }

  /// The light check does not read whether there is a report.
  private static String reached(Verdict verdict) {
    boolean isLight = verdict.warnings().contains("light");
    return isLight && verdict.stage() == Verdict.Stage.DRAWN ? "light" : verdict.stage().word();
  }

  Stream<String> lines(RoomVerdict verdict) {
    List<String> found = new ArrayList<>();
    if (verdict.announced().size() > 1) {
      String epochs =
          verdict.announced().stream().map(String::valueOf).collect(Collectors.joining(", "));
      found.add("! " + text("verify.room.again", verdict.announced().size(), epochs));
    }
    verdict.draw().ifPresent(draw -> found(draw, found));
    Stream<String> end =
        verdict.isOk()
            ? Stream.of(text("verify.room." + stage(verdict), verdict.room()))
            : failure(verdict.code(), verdict.detail());
    return Stream.of(found.stream(), end, key()).flatMap(lines -> lines);
  }

  private static String stage(RoomVerdict verdict) {
    return verdict.draw().orElseThrow().seed().isPresent() ? "right" : "waiting";
  }

  private void found(RoomVerdict.Found draw, List<String> lines) {
    Instant at = Instant.ofEpochSecond(draw.drawsAt());
    lines.add("✓ " + text("verify.room.sealed", draw.tickets(), draw.epoch(), draw.round(), at));
    if (draw.quorum() == 0) {
      lines.add("! " + text("verify.room.unwitnessed"));
    }
    if (draw.isOfEarlierRoom()) {
      lines.add("! " + text("verify.room.earlier"));
    }
    draw.seed()
        .ifPresent(
            seed -> {
              if (draw.quorum() > 0) {
                lines.add("✓ " + text("verify.room.witnessed", draw.quorum()));
              }
              lines.add("✓ " + text("verify.room.seed", draw.round(), seed.hex()));
            });
    draw.place()
        .ifPresent(place -> lines.add("★ " + text("verify.room.place", place + 1, draw.tickets())));
  }

  private Stream<String> failure(VerdictCode code, String detail) {
    // Of input of another draw, the detail has what was given and what was wanted.
    String[] values = detail.split(", not ", 2);
    String reason = text("verify.code." + code.word(), (Object[]) values);
    boolean isTold = detail.isEmpty() || Stream.of(values).allMatch(reason::contains);
    String told = "✗ " + reason + (isTold ? "" : " (" + detail + ")");
    return code.isUnreadable()
        ? Stream.of(told, text("verify.unreadable") + " " + code.word())
        : Stream.of(told, text("verify.again"), text("verify.failed") + " " + code.word());
  }

  private Stream<String> key() {
    return isKeyPinned ? Stream.empty() : Stream.of(text("verify.key"));
  }

  private String text(String key, Object... values) {
    return Messages.text(language, key, values);
  }

  private String finding(Finding finding) {
    String mark = finding.isWarning() ? "! " : "✓ ";
    return mark + text("verify.found." + finding.key(), finding.values().toArray());
  }

  private String mine(Mine mine) {
    if (mine.absence().isPresent()) {
      Absence absence = mine.absence().get();
      String key = "verify.mine." + absence.kind().word();
      return "! " + text(key, mine.index() + 1, absence.reason());
    }
    if (mine.lot().isEmpty()) {
      return "★ " + text("verify.mine", mine.index() + 1);
    }
    String lot = mine.lot().get().hex();
    return mine.rank().isEmpty()
        ? "★ " + text("verify.mine.lot", mine.index() + 1, lot)
        : "★ " + text("verify.mine.rank", mine.index() + 1, lot, mine.rank().get() + 1);
  }

  private String fairness(FairnessTests tests) {
    return "· " + text("verify.fairness", z(tests.marginal()), z(tests.joint()));
  }

  private static String z(FairnessTests.ChiSquare test) {
    return String.format(Locale.ROOT, "%.2f", test.z());
  }

  static String json(Verdict verdict) {
    JsonText json =
        JsonText.object()
            .put("code", verdict.code().word())
            .put("detail", verdict.detail())
            .put("stage", verdict.stage().word())
            .put("draw", verdict.draw().isEmpty() ? null : verdict.draw())
            .putAny("size", verdict.size().orElse(null))
            .put("seed", verdict.seed().map(Hash::hex).orElse(null))
            .put("result_root", verdict.resultRoot().map(Hash::hex).orElse(null))
            .putAny("warnings", verdict.warnings());
    verdict.findings().stream()
        .filter(finding -> finding.key().equals("earlier_draw"))
        .forEach(finding -> json.putAny("earlier", finding.values()));
    verdict.mine().stream()
        .findFirst()
        .ifPresent(
            mine -> {
              json.put("index", mine.index());
              json.put("lot", mine.lot().map(Hash::hex).orElse(null));
              mine.rank().ifPresent(rank -> json.put("rank", rank));
              mine.absence().ifPresent(absence -> json.put("absent", json(absence)));
            });
    return json.toString();
  }

  private static JsonText json(Absence absence) {
    return JsonText.object().put("kind", absence.kind().word()).put("reason", absence.reason());
  }

  private static String stage(RoomVerdict.Found draw) {
    return draw.seed().isPresent() ? "drawn" : "sealed";
  }

  static String json(RoomVerdict verdict) {
    JsonText json =
        JsonText.object()
            .put("code", verdict.code().word())
            .put("detail", verdict.detail())
            .put("stage", verdict.draw().map(VerdictText::stage).orElse("announced"))
            .put("room", verdict.room())
            .putAny("announced", verdict.announced())
            .putAny("warnings", verdict.warnings());
    verdict
        .draw()
        .ifPresent(
            draw -> {
              json.put("epoch", draw.epoch());
              json.put("tickets", draw.tickets());
              json.put("seed", draw.seed().map(Hash::hex).orElse(null));
              draw.place().ifPresent(place -> json.put("place", place));
            });
    return json.toString();
  }
}
