package fairgate.app.client;

import fairgate.draw.tlog.VerifierKey;
import fairgate.draw.verify.DrawVerifier;
import fairgate.draw.verify.HttpFiles;
import fairgate.draw.verify.RoomVerifier;
import fairgate.draw.verify.RoomVerifier.RoomVerdict;
import fairgate.draw.verify.TarFiles;
import fairgate.draw.verify.Verdict;
import fairgate.draw.verify.VerdictCode;
import fairgate.draw.verify.VerifyRequest;
import fairgate.draw.verify.VerifyRequest.Progress;
import fairgate.platform.text.Language;
import fairgate.platform.text.Languages;
import java.io.Console;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// Verifies a draw from its public files, without trust in its operator.
@Command(
    name = "verify-draw",
    description = {
      "Verifies a draw of any server from its public files.",
      "It checks the seal before the beacon, the beacon's signature, the order of all entries, and",
      "the allocation. With a receipt, also that your entry is in the list. With the address of a",
      "waiting room, its order before the opening.",
      "Exit code 0: everything is right; 1: a check failed; 2: the files cannot be read, or the",
      "receipt is damaged or not signed, or the receipt, the person or the ticket is not of this",
      "draw, or the log announces no draw of the room. The format is in docs/api/draw-format.md."
    })
public final class VerifyDrawCommand implements Callable<Integer> {
  private static final int UNREADABLE = 2;
  private static final Pattern CHAIN = Pattern.compile("[0-9a-f]{64}");
  private static final Pattern ROOM = Pattern.compile("https?://[^/]+/q/([a-z0-9-]{1,40})/?");

  @Spec private @Nullable CommandSpec spec;

  @Parameters(
      paramLabel = "URL|FILE",
      description =
          "The address of the draw, https://shop.example/draws/ID, or its bundle.tar; or the address "
              + "of a waiting room, https://shop.example/q/ROOM.")
  private String source = "";

  @Option(
      names = "--receipt",
      paramLabel = "FILE",
      description = "Your receipt (.tlog-proof) or promise. May be repeated.")
  private List<Path> receipts = new ArrayList<>();

  @Option(
      names = "--person",
      paramLabel = "TEXT",
      description = "The person that the receipt is for, as in the entry.")
  private @Nullable String person;

  @Option(names = "--light", description = "Only the receipts and the beacon, not the whole list.")
  private boolean light;

  @Option(
      names = "--log-key",
      paramLabel = "KEY",
      description = "The key that the operator's log must have. Default: the one it serves.")
  private @Nullable String logKey;

  @Option(
      names = "--chain",
      paramLabel = "HASH",
      description = "A beacon chain to accept besides quicknet. May be repeated.")
  private Set<String> chains = new LinkedHashSet<>();

  @Option(
      names = "--ticket",
      paramLabel = "NUMBER",
      description = "Of a waiting room: your ticket, whose place is wanted. The first one is 0.")
  private @Nullable Long ticket;

  @Option(
      names = "--epoch",
      paramLabel = "NUMBER",
      description = "Of a waiting room: the draw to verify. Default: the latest one.")
  private @Nullable Long epoch;

  @Option(names = "--json", description = "Prints the verdict for programs.")
  private boolean json;

  @Option(
      names = "--lang",
      paramLabel = "LANG",
      description = "en, zh-Hant or zh-Hans. Default: the language of the terminal.")
  private @Nullable String lang;

  @Override
  public Integer call() {
    Matcher room = ROOM.matcher(source);
    boolean isRoom = room.matches();
    if (isRoom && (!receipts.isEmpty() || person != null || light)) {
      throw usage("a waiting room has no --receipt, --person or --light: use --ticket");
    }
    if (!isRoom && (ticket != null || epoch != null)) {
      throw usage("--ticket and --epoch are of waiting rooms: a draw has --receipt");
    }
    if (!chains.stream().allMatch(CHAIN.asMatchPredicate())) {
      throw usage("--chain is the hash of a beacon chain: 64 hex digits in lower case");
    }
    Optional<VerifierKey> key = Optional.ofNullable(logKey).map(this::key);
    if (isRoom) {
      return room(room.group(1), key);
    }
    try {
      return draw(key);
    } catch (NoSuchFileException e) {
      return unreadable("no such file: " + e.getMessage());
    } catch (IOException e) {
      return unreadable(String.valueOf(e.getMessage()));
    }
  }

  private int unreadable(String detail) {
    return report(DrawVerifier.unreadable(VerdictCode.UNREACHABLE, detail));
  }

  private int draw(Optional<VerifierKey> key) throws IOException {
    List<byte[]> contents = new ArrayList<>();
    for (Path receipt : receipts) {
      try (InputStream in = Files.newInputStream(receipt)) {
        contents.add(in.readNBytes(VerifyRequest.MAX_RECEIPT + 1));
      }
    }
    if (source.startsWith("http://") || source.startsWith("https://")) {
      return report(verify(new HttpFiles(address()), key, contents));
    }
    Optional<TarFiles> opened = TarFiles.open(Path.of(source));
    if (opened.isEmpty()) {
      return report(DrawVerifier.unreadable(VerdictCode.MALFORMED_BUNDLE, source));
    }
    try (TarFiles files = opened.get()) {
      return report(verify(files, key, contents));
    }
  }

  private int room(String room, Optional<VerifierKey> key) {
    Bars bars = new Bars(commandLine().getErr());
    VerifyRequest request =
        new VerifyRequest(
            new HttpFiles(address()),
            key,
            chains,
            List.of(),
            Optional.empty(),
            false,
            bars::show,
            Clock.systemUTC());
    RoomVerdict verdict = RoomVerifier.verify(request, room, optional(epoch), optional(ticket));
    bars.end();
    print(json ? Stream.of(VerdictText.json(verdict)) : text().lines(verdict));
    return exitCode(verdict.code());
  }

  private VerdictText text() {
    return new VerdictText(language(), logKey != null);
  }

  private void print(Stream<String> lines) {
    PrintWriter out = commandLine().getOut();
    lines.forEach(out::println);
    out.flush();
  }

  private static OptionalLong optional(@Nullable Long number) {
    return number == null ? OptionalLong.empty() : OptionalLong.of(number);
  }

  private static int exitCode(VerdictCode code) {
    if (code == VerdictCode.OK) {
      return CommandLine.ExitCode.OK;
    }
    return code.isUnreadable() ? UNREADABLE : CommandLine.ExitCode.SOFTWARE;
  }

  private URI address() {
    try {
      return URI.create(source);
    } catch (IllegalArgumentException e) {
      throw usage("not an address: " + source);
    }
  }

  private VerifierKey key(String text) {
    return VerifierKey.parse(text, VerifierKey.Type.LOG)
        .orElseThrow(() -> usage("not a key: " + text));
  }

  private CommandLine.ParameterException usage(String problem) {
    return new CommandLine.ParameterException(commandLine(), problem);
  }

  private CommandLine commandLine() {
    return Objects.requireNonNull(spec).commandLine();
  }

  private Verdict verify(
      VerifyRequest.Files files, Optional<VerifierKey> key, List<byte[]> contents) {
    Bars bars = new Bars(commandLine().getErr());
    try {
      return DrawVerifier.verify(
          new VerifyRequest(
              files,
              key,
              chains,
              contents,
              Optional.ofNullable(person),
              light,
              bars::show,
              Clock.systemUTC()));
    } finally {
      bars.end();
    }
  }

  private int report(Verdict verdict) {
    print(json ? Stream.of(VerdictText.json(verdict)) : text().lines(verdict));
    return exitCode(verdict.code());
  }

  private Language language() {
    if (lang != null) {
      Language chosen = Languages.of(lang);
      if (chosen == null) {
        throw usage("--lang is en, zh-Hant or zh-Hans");
      }
      return chosen;
    }
    for (String variable : List.of("LC_ALL", "LC_MESSAGES", "LANG")) {
      String value = System.getenv(variable);
      if (value != null && !value.isEmpty()) {
        Language found = Languages.of(value.split("\\.", 2)[0]);
        return found == null ? Language.EN : found;
      }
    }
    return Language.EN;
  }

  /// A progress bar for each long part. Small logs have none.
  private static final class Bars {
    private static final long SMALL = 10_000;

    private final PrintWriter err;
    private final Map<Progress.Part, ProgressBar> bars = new EnumMap<>(Progress.Part.class);

    Bars(PrintWriter err) {
      this.err = err;
    }

    @SuppressWarnings("SystemConsoleNull") // Null where the JDK's own console is switched off.
    void show(Progress.Part part, long done, long total) {
      if (total < SMALL) {
        return;
      }
      Console console = System.console();
      boolean isTerminal = console != null && console.isTerminal();
      String label =
          switch (part) {
            case LOG -> "log";
            case ENTRIES -> "entries";
            case LOTS -> "lots";
          };
      bars.computeIfAbsent(
              part,
              _ -> {
                end();
                return new ProgressBar(err, isTerminal, System::nanoTime, label);
              })
          .show(done, total, "leaves");
    }

    void end() {
      bars.values().forEach(ProgressBar::end);
    }
  }
}
