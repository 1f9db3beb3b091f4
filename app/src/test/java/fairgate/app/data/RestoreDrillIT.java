package fairgate.app.data;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.app.Main;
import fairgate.app.ServerProcess;
import fairgate.app.TestFairgate;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.room.token.KeyBinding;
import fairgate.testkit.Eventually;
import fairgate.testkit.RespConnection;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A restore drill as an operator would do it: `backup`, the loss of both engines, `restore
/// --check`, `restore`, a node, `explain sale`. Commands that need the passphrase run in processes
/// of their own, because it comes from the environment.
@Timeout(600)
class RestoreDrillIT {
  private static final String PASSPHRASE = "a passphrase of the drill";
  private static final String MASTER =
      "k1:000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
  private static final String SALE = "5";
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  private record Outcome(int code, String output) {}

  @Test
  void everyAnsweredPurchaseSurvivesTheLossOfBothEngines() throws Exception {
    try (TestEngines engines = TestEngines.privateEngines()) {
      PostgresAddress lost = engines.freshDatabase();
      sellThree(engines, lost);
      Outcome behind = run(engines, lost, "explain", "sale", SALE);
      assertThat(behind.code()).as(behind.output()).isOne();
      assertThat(behind.output())
          .contains("NOT BALANCED: Redis is right; its last events are on their way to the ledger");

      Path file = folder.resolve("shop.backup");
      Outcome backup = process(engines, lost, PASSPHRASE, "backup", file.toString());
      assertThat(backup.code()).as(backup.output()).isZero();
      assertThat(backup.output()).contains("secrets: included, encrypted");
      assertThat(Files.getPosixFilePermissions(file))
          .isEqualTo(PosixFilePermissions.fromString("rw-------"));
      assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
          .doesNotContain("000102030405060708090a0b")
          .doesNotContain(TestFairgate.OPERATOR);

      Outcome check = process(engines, lost, PASSPHRASE, "restore", "--check", file.toString());
      assertThat(check.code()).as(check.output()).isZero();
      assertThat(check.output())
          .contains("secrets: decrypted")
          .contains("sale 5: 10 released, 3 sold, 0 held, the orders agree");
      aDamagedBackupAndAWrongPassphraseAreRefused(engines, lost, file);

      engines.flushRedis();
      PostgresAddress fresh = engines.freshDatabase();
      Outcome restored = run(engines, fresh, "restore", file.toString());
      assertThat(restored.code()).as(restored.output()).isZero();
      try (TestFairgate server = TestFairgate.start(engines, fresh, Map.of())) {
        awaitFree(server, 7);
        buy(server);
        Outcome explained =
            Eventually.get(
                "the ledger has the fourth purchase",
                () -> run(engines, fresh, "explain", "sale", SALE),
                outcome -> outcome.output().contains("no: 4 sold or held of 10 released"));
        assertThat(explained.code()).as(explained.output()).isZero();
        assertThat(explained.output())
            .contains("balanced: released = sold + held + free in all three sources");
      }
      Outcome twice = run(engines, fresh, "restore", file.toString());
      assertThat(twice.code()).isOne();
      assertThat(twice.output()).contains("Nothing was restored: the database").contains("empty");
    }
  }

  @Test
  void aRoomGoesOnBesideARedisThatWasKept() throws Exception {
    TestEngines engines = TestEngines.shared();
    engines.flushRedis();
    PostgresAddress lost = engines.freshDatabase();
    Path file = folder.resolve("room.backup");
    try (TestFairgate server = TestFairgate.start(engines, lost, Map.of())) {
      String _ =
          server.admin(
              "PUT",
              "/rooms/tour",
              """
              {"hosts": ["127.0.0.1"], "mode": "on", "capacity": 10, "rate": 1000, "challenge": false,
               "places_per_ip": null, "places_per_network": null}
              """);
      joinRoom(server, 1);
      Outcome backup = run(engines, lost, "backup", file.toString());
      assertThat(backup.code()).as(backup.output()).isZero();
      for (int rate = 1; rate <= 3; rate++) {
        String _ = server.admin("PATCH", "/rooms/tour", "{\"rate\": " + rate + "}");
      }
      String _ = server.admin("POST", "/rooms/tour/revoke", "");
      joinRoom(server, 2);
    }
    PostgresAddress fresh = engines.emptyDatabase();
    Outcome restored = run(engines, fresh, "restore", file.toString());
    assertThat(restored.code()).as(restored.output()).isZero();
    try (TestFairgate server = TestFairgate.start(engines, fresh, Map.of())) {
      long ticket = joinRoom(server, 3);
      assertThat(ticket).as("tickets go on").isEqualTo(2);
      Eventually.await(
          "the room lets visitors in",
          () ->
              JSON.readTree(server.call("GET", "/q/tour/head", "").body()).path("cursor").asLong()
                  > ticket);
    }
  }

  private static long joinRoom(TestFairgate server, int browser) throws IOException {
    byte[] secret = new byte[32];
    secret[0] = (byte) browser;
    String hold = "{\"hold\": \"" + KeyBinding.ofSecret(secret).value() + "\"}";
    HttpResponse<String> joined =
        Eventually.get(
            "a place",
            () -> server.call("POST", "/q/tour/join", hold),
            answer -> answer.statusCode() == 200);
    return JSON.readTree(joined.body()).path("ticket").asLong();
  }

  @Test
  void countersChangedByHandAreFoundAndTheAdviceRepairsThem() throws Exception {
    TestEngines engines = TestEngines.shared();
    engines.flushRedis();
    PostgresAddress database = engines.freshDatabase();
    try (TestFairgate server = TestFairgate.start(engines, database, Map.of())) {
      open(server);
      buy(server);
      awaitFree(server, 9);
      redis(engines, "SET", "product:stock:5", "8");
      Outcome wrong = run(engines, database, "explain", "sale", SALE);
      assertThat(wrong.code()).as(wrong.output()).isOne();
      assertThat(wrong.output())
          .contains("<- released is not the sum")
          .contains("the ledger and the orders are right")
          .contains("run `redis-cli DEL event:5:sale`");
      String _ = server.admin("POST", "/products/5/pause", "");
      redis(engines, "DEL", "event:5:sale");
      awaitFree(server, 9);
      assertThat(run(engines, database, "explain", "sale", SALE).code()).isZero();
      String _ = server.admin("POST", "/products/5/resume", "");
      buy(server);
    }
  }

  private void aDamagedBackupAndAWrongPassphraseAreRefused(
      TestEngines engines, PostgresAddress database, Path file) throws IOException {
    byte[] whole = Files.readAllBytes(file);
    Path cut = Files.write(folder.resolve("cut"), Arrays.copyOf(whole, 2_000));
    assertThat(run(engines, database, "restore", "--check", cut.toString()).code()).isOne();
    Outcome changed = run(engines, database, "restore", "--check", changed(file).toString());
    assertThat(changed.code()).isOne();
    assertThat(changed.output()).contains("the backup is damaged: tables/products was changed");
    Outcome wrong =
        process(engines, database, "not the passphrase", "restore", "--check", file.toString());
    assertThat(wrong.code()).isOne();
    assertThat(wrong.output()).contains("is not the passphrase of this backup");
  }

  /// A copy of a backup in which a product has another name.
  private Path changed(Path file) throws IOException {
    Path copy = folder.resolve("changed");
    try (ZipFile from = new ZipFile(file.toFile());
        ZipOutputStream to = new ZipOutputStream(Files.newOutputStream(copy))) {
      for (ZipEntry entry : Collections.list(from.entries())) {
        String content =
            new String(from.getInputStream(entry).readAllBytes(), StandardCharsets.ISO_8859_1);
        to.putNextEntry(new ZipEntry(entry.getName()));
        String written =
            entry.getName().equals("tables/products")
                ? content.replace("Ticket", "Tocket")
                : content;
        to.write(written.getBytes(StandardCharsets.ISO_8859_1));
        to.closeEntry();
      }
    }
    return copy;
  }

  /// Sells three units. The last purchase is in Redis only when the server ends.
  private static void sellThree(TestEngines engines, PostgresAddress database) throws Exception {
    try (TestFairgate server = TestFairgate.start(engines, database, Map.of())) {
      open(server);
      buy(server);
      buy(server);
      Eventually.await(
          "two orders in the ledger",
          () ->
              JSON.readTree(server.admin("GET", "/orders?product_id=5", "")).path("orders").size()
                  == 2);
      engines.pausePostgres();
      buy(server);
    } finally {
      engines.resumePostgres();
    }
  }

  private static void open(TestFairgate server) {
    server.createProduct(SALE, 10, "{\"preset\": \"queue\", \"ready_slots\": 100}");
    server.openSale(SALE);
  }

  private static void awaitFree(TestFairgate server, int free) {
    Eventually.await(
        free + " free units, balanced",
        () -> {
          var live = JSON.readTree(server.admin("GET", "/products/5/live", ""));
          return live.path("free").asInt() == free && live.path("balanced").asBoolean();
        });
  }

  private static void buy(TestFairgate server) throws IOException {
    HttpResponse<String> joined =
        Eventually.get(
            "a place",
            () ->
                server.call(
                    "POST",
                    "/api/queue/join",
                    "{\"product_id\":\"5\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}"),
            answer -> answer.statusCode() == 200);
    String session = JSON.readTree(joined.body()).path("session_id").asText();
    HttpResponse<String> _ =
        Eventually.get(
            "a purchase",
            () -> server.buy(session, SALE, session),
            answer -> answer.statusCode() == 200);
  }

  private static void redis(TestEngines engines, String... command) {
    assertThat(RespConnection.call(engines.redisUri(), command)).isNotEmpty();
  }

  /// Runs a command in this process.
  private Outcome run(TestEngines engines, PostgresAddress database, String... args) {
    StringWriter output = new StringWriter();
    PrintWriter writer = new PrintWriter(output);
    List<String> all = new ArrayList<>(List.of(args));
    try {
      all.addAll(List.of("--config", settings(engines, database).toString()));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    int code = Main.commandLine().setOut(writer).setErr(writer).execute(all.toArray(String[]::new));
    return new Outcome(code, output.toString());
  }

  private Path settings(TestEngines engines, PostgresAddress database) throws IOException {
    return Files.writeString(
        folder.resolve("fairgate.yaml"),
        """
        redis.url: "%s"
        database.url: "%s"
        master_secret: "%s"
        operator_token: "%s"
        """
            .formatted(engines.redisUri(), url(database), MASTER, TestFairgate.OPERATOR));
  }

  private static String url(PostgresAddress database) {
    return "postgresql://%s:%s@%s:%d/%s"
        .formatted(
            database.user(),
            database.password(),
            database.host(),
            database.port(),
            database.database());
  }

  /// Runs a command in a process of its own.
  private Outcome process(
      TestEngines engines, PostgresAddress database, String passphrase, String... args) {
    try {
      List<String> command = ServerProcess.command(args);
      command.addAll(List.of("--config", settings(engines, database).toString()));
      ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
      builder.environment().put("FAIRGATE_BACKUP_PASSPHRASE", passphrase);
      Process process = builder.start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(60, TimeUnit.SECONDS)) {
        throw new AssertionError("the command does not end: " + output);
      }
      return new Outcome(process.exitValue(), output);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
