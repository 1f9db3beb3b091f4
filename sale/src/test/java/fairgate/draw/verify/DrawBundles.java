package fairgate.draw.verify;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Writes bundles of random draws, honest ones and one for each cheat, with their receipts and
/// `expected.jsonl`, for verifiers in other languages.
public final class DrawBundles {
  private static final int[] SIZES = {1, 2, 3, 7, 8, 1000};
  private static final int LARGE = Integer.getInteger("fairgate.bundles.size", 100_000);

  private DrawBundles() {}

  /// Writes the bundles.
  ///
  /// @param args the folder, the number of honest draws, and how many of them are large: of
  ///   `-Dfairgate.bundles.size` entries, by default 100,000
  public static void main(String[] args) throws IOException {
    Path folder = Files.createDirectories(Path.of(args[0]));
    int draws = Integer.parseInt(args[1]);
    int large = Integer.parseInt(args[2]);
    List<String> expected = new ArrayList<>();
    for (int i = 1; i <= draws; i++) {
      int size = i <= large ? LARGE : SIZES[i % SIZES.length];
      TestDraw draw = TestDraw.honest(i, size);
      expected.add(write(folder, draw, "honest-%03d-n%d.tar".formatted(i, size), "ok"));
    }
    long number = 1000;
    for (Cheat cheat : Cheat.values()) {
      TestDraw draw = TestDraw.cheating(number, 40, cheat);
      number++;
      expected.add(
          write(
              folder,
              draw,
              "cheat-" + cheat.name().toLowerCase(Locale.ROOT) + ".tar",
              cheat.code()));
    }
    Files.writeString(folder.resolve("expected.jsonl"), String.join("", expected), UTF_8);
  }

  private static String write(Path folder, TestDraw draw, String name, String code)
      throws IOException {
    draw.write(folder.resolve(name));
    Files.write(folder.resolve(name.replace(".tar", ".tlog-proof")), draw.receipt());
    return draw.summary(name, code);
  }
}
