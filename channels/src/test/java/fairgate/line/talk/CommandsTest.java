package fairgate.line.talk;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.line.talk.Commands.Command;
import fairgate.platform.text.Language;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Texts as people write them.
class CommandsTest {
  private static final Chat PRIVATE = new Chat("U1", null, null);
  private static final Chat GROUP = new Chat("U1", "C1", null);
  private static final Commands COMMANDS = new Commands(new NoOrders());

  private static final class NoOrders implements LineClaims {
    @Override
    public Optional<String> orderIn(String text) {
      return Optional.empty();
    }

    @Override
    public boolean speaksOfOrder(String text) {
      return false;
    }

    @Override
    public boolean takesOtherOrders() {
      return true;
    }

    @Override
    public LineClaims.Outcome claim(Attempt attempt, Language language) {
      return new LineClaims.Outcome.NotOffered();
    }
  }

  private static Command said(Chat chat, String text) {
    return COMMANDS.of(chat, new Incoming.Text(text, false));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "順位",
        "順位😀",
        "順位 👩‍👩‍👧‍👦❤️",
        "順位(love)",
        "(moon wink)順位(love)",
        "順位！",
        "順位～",
        "順位〜〜",
        "順位。。。",
        "「順位」",
        "✨順位✨!!",
        "Queue!",
        "queue 🇹🇼",
        "position 👍🏽"
      })
  void aCommandWithEmojiOrMarksIsTheCommand(String text) {
    assertThat(said(PRIVATE, text)).isEqualTo(new Command.Places());
    assertThat(said(GROUP, "/" + text)).isEqualTo(new Command.Places());
    assertThat(COMMANDS.of(GROUP, new Incoming.Text("  " + text, true)))
        .isEqualTo(new Command.Places());
    assertThat(said(GROUP, text)).isEqualTo(new Command.Unknown());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "😀",
        "(love)",
        "(love)(moon wink)",
        "㊗️",
        "ℹ️",
        "Ⓜ️",
        "🈵",
        "1️⃣",
        "❤️❤️",
        "~",
        "！",
        "？？",
        "🇹🇼"
      })
  void anEmojiAloneIsNoPlace(String text) {
    assertThat(said(PRIVATE, text)).isEqualTo(new Command.Help());
  }

  @ParameterizedTest
  @ValueSource(strings = {"台北", "台北😀", "台北~", "☀️台北(love)", "台北天氣☀️", "台北 天氣～"})
  void emojiAndTildesAreNoPartOfAPlace(String text) {
    assertThat(said(PRIVATE, text)).isEqualTo(new Command.WeatherIn("台北"));
  }

  @ParameterizedTest
  @CsvSource({
    "English, EN",
    "英文, EN",
    "繁體中文, ZH_HANT",
    "繁体, ZH_HANT",
    "简体中文！, ZH_HANS",
    "簡體, ZH_HANS"
  })
  void theNameOfALanguageChoosesIt(String text, Language language) {
    assertThat(said(PRIVATE, text)).isEqualTo(new Command.SetLanguage(language));
  }

  @Test
  void commandsAreUnderstoodAsPeoplePutThem() {
    assertThat(said(PRIVATE, "中文")).isEqualTo(new Command.ChooseLanguage());
    assertThat(said(PRIVATE, "顺位")).isEqualTo(new Command.Places());
    assertThat(said(PRIVATE, "我要搶購！")).isEqualTo(new Command.Sales(0));
    assertThat(said(PRIVATE, "我要抢购")).isEqualTo(new Command.Sales(0));
  }

  @Test
  void whatANameNeedsStays() {
    assertThat(said(PRIVATE, "Portland (Oregon)"))
        .isEqualTo(new Command.WeatherIn("Portland (Oregon)"));
    assertThat(said(PRIVATE, "?")).isEqualTo(new Command.Help());
    assertThat(said(GROUP, "🎉/順位")).isEqualTo(new Command.Places());
  }
}
