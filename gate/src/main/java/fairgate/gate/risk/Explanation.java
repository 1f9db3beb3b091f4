package fairgate.gate.risk;

import fairgate.platform.http.Refusal;
import fairgate.platform.text.Language;
import fairgate.platform.text.Messages;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What a person is told about a decision on risk.
///
/// @param reason null when nothing is told
/// @param help what would help, the most effective first
public record Explanation(@Nullable PublicReason reason, List<Remedy> help) {
  public static final Explanation NONE = new Explanation(null, List.of());

  public Explanation {
    help = List.copyOf(help);
  }

  /// The explanation of words, such as those of a stored decision. Words that this server does not
  /// know are left out.
  public static Explanation of(@Nullable String reason, Stream<String> help) {
    return new Explanation(
        reason == null ? null : PublicReason.named(reason).orElse(null),
        help.flatMap(word -> Remedy.named(word).stream()).toList());
  }

  /// The explanation of a refusal; [#NONE] for one that is not about risk.
  public static Explanation of(Refusal refusal) {
    String reason = refusal.details().get("reason") instanceof String word ? word : null;
    Stream<String> help =
        refusal.details().get("help") instanceof List<?> words
            ? words.stream().map(String::valueOf)
            : Stream.of();
    Explanation found = of(reason, help);
    return found.reason == null ? NONE : found;
  }

  /// The reason in words; empty when nothing is told.
  public String reasonText(Language language) {
    return Optional.ofNullable(reason)
        .map(told -> Messages.text(language, "risk.reason." + told.word()))
        .orElse("");
  }

  /// What would help in words, one sentence each.
  public List<String> helpTexts(Language language) {
    return help.stream().map(one -> Messages.text(language, "risk.help." + one.word())).toList();
  }
}
