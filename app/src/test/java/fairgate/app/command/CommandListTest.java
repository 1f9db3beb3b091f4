package fairgate.app.command;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.app.Main;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/// The lists of commands in the help texts.
class CommandListTest {
  private static final int COLUMNS = 80;

  @Test
  void everyCommandHasOneSentenceOnOneLine() {
    check(Main.commandLine());
  }

  private static void check(CommandLine command) {
    List<String> lines =
        command.getHelp().commandList().lines().map(String::stripTrailing).toList();
    assertThat(lines)
        .as(command.getCommandName())
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(COLUMNS).endsWith("."))
        .hasSize(
            (int)
                command.getSubcommands().values().stream()
                    .filter(CommandListTest::isShown)
                    .count());
    command.getSubcommands().values().forEach(CommandListTest::check);
  }

  private static boolean isShown(CommandLine command) {
    return !command.getCommandSpec().usageMessage().hidden();
  }
}
