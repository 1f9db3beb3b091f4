package fairgate.draw;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.app.Main;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// The public record of a draw, from the rules to the order, as outsiders read it: over HTTP and as
/// a bundle, with each of the three verifiers.
class PublicDrawIT {
  private static final Path PYTHON = Path.of("..", "deploy", "draw", "verify_draw.py");
  private static final String IMMUTABLE = "public, max-age=31536000, immutable";

  @TempDir private Path folder;

  @Test
  void outsidersCheckEveryStageOfADraw() throws Exception {
    try (DrawScene scene = DrawScene.start(folder, 2)) {
      scene.announce(20, 120, 400, 120, ", \"holdbacks\": {\"artist\": 5}");
      scene.awaitFile("rules.tlog-proof");
      scene.skipTo("opens_at");
      scene.await("open");
      assertThat(verdict(scene, "announced")).isEqualTo("ok");
      String mine = "";
      for (int i = 0; i < 300; i++) {
        mine = scene.enter();
      }
      Path receipt = receipt(scene, mine);
      withdrawAndExclude(scene, scene.enter());
      scene.skipTo("closes_at");
      scene.awaitFile("seal.tlog-proof");
      assertThat(verdict(scene, "sealed", "--receipt", receipt.toString())).isEqualTo("ok");
      scene.skipTo("draws_at");
      assertThat(verdict(scene, "drawn", "--receipt", receipt.toString())).isEqualTo("ok");
      assertThat(python(scene, address(scene), "--receipt", receipt.toString()))
          .contains("\"code\": \"ok\"", "\"stage\": \"drawn\"");
      assertThat(python(scene, bundle(scene).toString())).contains("\"code\": \"ok\"");
      assertThat(java(scene, bundle(scene).toString(), "--json").get("code")).isEqualTo("ok");
      assertThatFilesHaveTheirHeaders(scene);
      assertThatErrorsCanBeRead(scene);
    }
  }

  private static String address(DrawScene scene) {
    return scene.server().baseUrl() + "/draws/" + DrawScene.DRAW;
  }

  private Path receipt(DrawScene scene, String cookies) throws IOException {
    HttpResponse<String> receipt =
        Eventually.get(
            "the receipt is signed",
            () ->
                scene
                    .server()
                    .call(
                        "GET", "/api/draws/" + DrawScene.DRAW + "/receipt", "", "cookie", cookies),
            response -> response.statusCode() == 200);
    Path file = folder.resolve("mine.tlog-proof");
    Files.writeString(file, receipt.body());
    return file;
  }

  private static void withdrawAndExclude(DrawScene scene, String cookies) {
    String path = "/api/draws/" + DrawScene.DRAW + "/entry";
    HttpResponse<String> gone =
        scene.server().callUntilAccepted("DELETE", path, "", "cookie", cookies);
    assertThat(gone.statusCode()).as(gone.body()).isEqualTo(204);
    String _ =
        scene
            .server()
            .admin(
                "POST",
                "/draws/" + DrawScene.DRAW + "/exclusions",
                "{\"index\": 3, \"reason\": \"duplicate\"}");
  }

  /// The verdict of the Java command over HTTP, when the whole log shows the stage; the short check
  /// has the same.
  private String verdict(DrawScene scene, String stage, String... more) {
    JsonObject found =
        Eventually.get(
            "the log shows the stage " + stage,
            () -> java(scene, address(scene), with(more, "--json")),
            it ->
                stage.equals(it.get("stage"))
                    || !List.of("ok", "unreachable").contains(String.valueOf(it.get("code"))));
    JsonObject light =
        Eventually.get(
            "the short check gets its answers in time",
            () -> java(scene, address(scene), with(more, "--json", "--light")),
            it -> !"unreachable".equals(it.get("code")));
    assertThat(light.get("code")).as(stage).isEqualTo("ok");
    return String.valueOf(found.get("code"));
  }

  private static String[] with(String[] some, String... more) {
    List<String> all = new ArrayList<>(List.of(some));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  private static JsonObject java(DrawScene scene, String source, String... more) {
    StringWriter out = new StringWriter();
    CommandLine commandLine =
        Main.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(new StringWriter()));
    String[] fixed = {"verify-draw", source, "--chain", scene.chain()};
    int _ = commandLine.execute(with(fixed, more));
    return Json.parseObject(out.toString());
  }

  private static String python(DrawScene scene, String source, String... more) throws Exception {
    String[] fixed = {"python3", PYTHON.toString(), "--json", "--chain", scene.chain()};
    Process process =
        new ProcessBuilder(with(with(fixed, more), source)).redirectErrorStream(true).start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private Path bundle(DrawScene scene) throws Exception {
    Path file = folder.resolve("bundle.tar");
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<Path> response =
          client.send(
              HttpRequest.newBuilder(URI.create(address(scene) + "/bundle.tar")).build(),
              HttpResponse.BodyHandlers.ofFile(file));
      assertThat(response.statusCode()).isEqualTo(200);
    }
    return file;
  }

  private static void assertThatFilesHaveTheirHeaders(DrawScene scene) {
    String draw = "/draws/" + DrawScene.DRAW;
    record File(String path, String life) {}
    for (File file :
        List.of(
            new File("/log/checkpoint", "public, max-age=1"),
            new File("/log/tile/0/000.p/1", "public, max-age=60"),
            new File(draw + "/log/tile/0/000", IMMUTABLE),
            new File(draw + "/log/tile/entries/000", IMMUTABLE),
            new File(draw + "/log/tile/1/000.p/1", "public, max-age=60"),
            new File(draw + "/bundle", "public, max-age=60"),
            new File(draw + "/rules.json", "public, max-age=60"),
            new File(draw + "/chain.json", "public, max-age=60"),
            new File(draw + "/seal", "public, max-age=60"),
            new File(draw + "/beacon", "public, max-age=60"),
            new File(draw + "/result", "public, max-age=60"))) {
      HttpResponse<String> found = scene.server().callUntilAccepted("GET", file.path(), "");
      assertThat(found.statusCode()).as(file.path()).isEqualTo(200);
      assertThat(found.headers().firstValue("cache-control")).as(file.path()).contains(file.life());
      assertThat(found.headers().firstValue("access-control-allow-origin")).contains("*");
      assertThat(found.headers().firstValue("set-cookie")).as(file.path()).isEmpty();
    }
  }

  /// A script of another origin must tell "not there yet" from "unreachable".
  private static void assertThatErrorsCanBeRead(DrawScene scene) {
    String draw = "/draws/" + DrawScene.DRAW;
    for (String path :
        List.of(
            "/log/tile/0/999",
            "/log/tile/0/000.p/0",
            "/log/tile/63/000",
            "/log/tile/0/x999/999",
            "/log/tile/0/0",
            "/log/other",
            draw + "/log/tile/0/001",
            draw + "/log/tile/entries/000.p/257",
            draw + "/allotments",
            draw + "/nothing",
            "/draws/nobody/bundle",
            "/draws/nobody/log/checkpoint")) {
      HttpResponse<String> missing = scene.server().callUntilAccepted("GET", path, "");
      assertThat(missing.statusCode()).as(path).isEqualTo(404);
      assertThat(missing.headers().firstValue("access-control-allow-origin")).contains("*");
      assertThat(missing.headers().firstValue("cache-control")).contains("no-store");
    }
  }
}
