package fairgate.app;

import fairgate.app.command.StartFailed;
import fairgate.draw.tlog.SignerKey;
import fairgate.draw.tlog.VerifierKey;
import fairgate.draw.witness.WitnessRoutes;
import fairgate.draw.witness.WitnessService;
import fairgate.kernel.KeyRing;
import fairgate.platform.http.HttpConfig;
import fairgate.platform.http.HttpDependencies;
import fairgate.platform.http.HttpServer;
import fairgate.platform.http.Loops;
import fairgate.platform.observe.Metrics;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// A witness that anybody can run: a newspaper, a consumer association, the artist.
@Command(
    name = "witness",
    description = {
      "Runs a witness of draws.",
      "It signs the heads of the logs that it watches, with the time, and refuses a log that was",
      "changed or forked (C2SP tlog-witness). It needs no Redis and no PostgreSQL. It prints its",
      "key, which the rules of a draw name. Keep the folder: without it the witness has a new key",
      "and no memory."
    })
final class WitnessCommand implements Callable<Integer> {
  private static final int KEY_LENGTH = 32;
  private static final Duration DRAIN = Duration.ofSeconds(5);

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      required = true,
      description = "The name of the witness, such as witness.example/w1.")
  private String name = "";

  @Option(
      names = "--log",
      paramLabel = "KEY",
      required = true,
      description = "The key of a log to watch. May be repeated.")
  private List<String> logs = new ArrayList<>();

  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "witness",
      description = "The folder of its key and its memory. Default: ./witness.")
  private Path data = Path.of("witness");

  @Option(
      names = "--host",
      paramLabel = "HOST",
      defaultValue = "127.0.0.1",
      description = "Default: ${DEFAULT-VALUE}.")
  private String host = "127.0.0.1";

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "8090",
      description = "Default: ${DEFAULT-VALUE}; 0 takes a free one.")
  private int port = 8090;

  @Override
  public Integer call() throws IOException, InterruptedException {
    SignerKey key = new SignerKey(name, VerifierKey.Type.COSIGNATURE, seed());
    if (VerifierKey.parse(key.verifier().text(), VerifierKey.Type.COSIGNATURE).isEmpty()) {
      throw new StartFailed("a name has no spaces and no plus: " + name);
    }
    Logs.forMachines();
    Vertx vertx = Loops.vertx(1);
    HttpServer server = start(vertx, new WitnessService(key, watched(), data, Clock.systemUTC()));
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server, vertx), "stop"));
    PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
    out.println("key " + key.verifier().text());
    out.println("ready http://" + host + ":" + server.port());
    out.flush();
    try {
      new CountDownLatch(1).await();
    } finally {
      stop(server, vertx);
    }
    return 0;
  }

  private List<VerifierKey> watched() {
    List<VerifierKey> keys = parsed();
    if (keys.stream().map(VerifierKey::name).distinct().count() < keys.size()) {
      throw new StartFailed("two keys have the same name");
    }
    return keys;
  }

  private List<VerifierKey> parsed() {
    return logs.stream()
        .map(
            text ->
                VerifierKey.parse(text, VerifierKey.Type.LOG)
                    .orElseThrow(() -> new StartFailed("not the key of a log: " + text)))
        .distinct()
        .toList();
  }

  private HttpServer start(Vertx vertx, WitnessService service) {
    Clock clock = Clock.systemUTC();
    byte[] unused = new byte[KEY_LENGTH];
    new SecureRandom().nextBytes(unused);
    // Witnesses set no cookies; the server needs a key ring all the same.
    HttpDependencies seams =
        new HttpDependencies(
            new RandomIds(clock), new KeyRing("witness", Map.of("witness", unused)), new Metrics());
    return HttpServer.start(
        vertx, HttpConfig.defaults().withAddress(host, port), WitnessRoutes.of(service), seams);
  }

  /// The secret of the key, from the folder; created at the first start.
  private byte[] seed() throws IOException {
    if (!Files.isDirectory(data)) {
      Path _ =
          Files.createDirectories(
              data,
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
    Path file = data.resolve("witness-key");
    if (!Files.exists(file)) {
      byte[] seed = new byte[KEY_LENGTH];
      new SecureRandom().nextBytes(seed);
      Path draft = Files.createTempFile(data, "key", "");
      Files.writeString(draft, HexFormat.of().formatHex(seed) + "\n");
      Path _ = Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    }
    try {
      byte[] seed = HexFormat.of().parseHex(Files.readString(file).strip());
      if (seed.length == KEY_LENGTH) {
        return seed;
      }
    } catch (IllegalArgumentException e) {
      throw new StartFailed("the key is damaged: " + file);
    }
    throw new StartFailed("the key is damaged: " + file);
  }

  /// A repeat changes nothing.
  private static void stop(HttpServer server, Vertx vertx) {
    try {
      Void _ = server.drain(DRAIN).await(DRAIN.toSeconds() + 1, TimeUnit.SECONDS);
      Void _ = vertx.close().await(DRAIN.toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      LoggerFactory.getLogger(WitnessCommand.class).warn("The witness did not stop in time", e);
    }
  }
}
