package fairgate.app.client;

import fairgate.draw.tlog.Hash;
import fairgate.draw.verify.RoomVerdict;
import fairgate.platform.json.JsonText;
import fairgate.platform.text.Language;
import fairgate.platform.text.Messages;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// A verdict on the draw of a waiting room in plain words, or as JSON for programs.
final class RoomVerdictText {
  private final Language language;
  private final boolean isKeyPinned;

  /// @param isKeyPinned whether the caller named the key of the log
  RoomVerdictText(Language language, boolean isKeyPinned) {
    this.language = language;
    this.isKeyPinned = isKeyPinned;
  }

  List<String> lines(RoomVerdict verdict) {
    List<String> lines = new ArrayList<>();
    if (verdict.announced().size() > 1) {
      String epochs =
          verdict.announced().stream().map(String::valueOf).collect(Collectors.joining(", "));
      lines.add("! " + text("verify.room.again", verdict.announced().size(), epochs));
    }
    verdict.draw().ifPresent(draw -> found(draw, lines));
    if (!verdict.isOk()) {
      String detail = verdict.detail().isEmpty() ? "" : " (" + verdict.detail() + ")";
      lines.add("✗ " + text("verify.code." + verdict.code().word()) + detail);
      lines.add(
          text(verdict.code().isUnreadable() ? "verify.unreadable" : "verify.failed")
              + " "
              + verdict.code().word());
    } else if (verdict.draw().isEmpty()) {
      lines.add(text("verify.room.none", verdict.room()));
    } else {
      boolean isDrawn = verdict.draw().get().seed().isPresent();
      lines.add(text(isDrawn ? "verify.room.right" : "verify.room.waiting", verdict.room()));
    }
    if (!isKeyPinned) {
      lines.add(text("verify.key"));
    }
    return lines;
  }

  private void found(RoomVerdict.Found draw, List<String> lines) {
    Instant at = Instant.ofEpochSecond(draw.drawsAt());
    lines.add("✓ " + text("verify.room.sealed", draw.tickets(), draw.epoch(), draw.round(), at));
    if (draw.quorum() == 0) {
      lines.add("! " + text("verify.room.unwitnessed"));
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

  private String text(String key, Object... values) {
    return Messages.text(language, key, values);
  }

  static String json(RoomVerdict verdict) {
    JsonText json =
        JsonText.object()
            .put("code", verdict.code().word())
            .put("detail", verdict.detail())
            .put("room", verdict.room())
            .putAny("announced", verdict.announced());
    verdict
        .draw()
        .ifPresent(
            draw -> {
              json.put("stage", draw.seed().isPresent() ? "drawn" : "sealed");
              json.put("epoch", draw.epoch());
              json.put("tickets", draw.tickets());
              json.put("seed", draw.seed().map(Hash::hex).orElse(null));
              draw.place().ifPresent(place -> json.put("place", place));
            });
    return json.toString();
  }
}
