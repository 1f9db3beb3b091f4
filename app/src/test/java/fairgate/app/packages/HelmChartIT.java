package fairgate.app.packages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import fairgate.app.config.ConfigReader;
import fairgate.app.config.FairgateConfig;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.networking.v1.Ingress;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.io.IOException;
import java.io.Serial;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The Helm chart, rendered by Helm. Each manifest is read into the types of the Kubernetes API,
/// which refuse unknown fields and wrong types.
@Timeout(120)
class HelmChartIT {
  private static final Path CHART = Path.of("../deploy/helm/fairgate");

  /// The types of the API, in versions that every supported cluster has.
  private static final Map<String, Class<?>> TYPES =
      Map.of(
          "apps/v1 Deployment", Deployment.class,
          "v1 Service", Service.class,
          "networking.k8s.io/v1 Ingress", Ingress.class,
          "policy/v1 PodDisruptionBudget", PodDisruptionBudget.class);

  private static final YAMLMapper YAML = new YAMLMapper();

  /// Without the catch-all for unknown fields that these types have.
  private static final YAMLMapper STRICT =
      YAMLMapper.builder(YAMLFactory.builder().build())
          .annotationIntrospector(
              new JacksonAnnotationIntrospector() {
                @Serial private static final long serialVersionUID = 1L;

                @Override
                public Boolean hasAnySetter(Annotated annotated) {
                  return false;
                }
              })
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build();

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  private record Outcome(int code, String output) {}

  private static Outcome helm(String... args) throws Exception {
    String program = System.getenv("FAIRGATE_HELM");
    assertThat(program).as("FAIRGATE_HELM; ./fairgate test sets it").isNotNull();
    List<String> command = new ArrayList<>(List.of(String.valueOf(program)));
    command.addAll(List.of(args));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return new Outcome(process.exitValue(), output);
  }

  private static List<JsonNode> rendered(String... more) throws Exception {
    List<String> args = new ArrayList<>(List.of("template", "shop", CHART.toString()));
    args.addAll(List.of(more));
    Outcome outcome = helm(args.toArray(String[]::new));
    assertThat(outcome.code()).as(outcome.output()).isZero();
    List<JsonNode> manifests = new ArrayList<>();
    try (var documents = YAML.readerFor(JsonNode.class).<JsonNode>readValues(outcome.output())) {
      documents.forEachRemaining(
          one -> {
            if (one.isObject()) {
              manifests.add(one);
            }
          });
    }
    return manifests;
  }

  private static JsonNode deployment(String... more) throws Exception {
    return rendered(more).stream()
        .filter(one -> one.path("kind").asText().equals("Deployment"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void everyManifestFitsTheKubernetesApi() throws Exception {
    Outcome lint = helm("lint", "--strict", CHART.toString());
    assertThat(lint.code()).as(lint.output()).isZero();
    List<JsonNode> manifests = rendered();
    assertThat(manifests).hasSize(5);
    for (JsonNode manifest : manifests) {
      String kind = manifest.path("apiVersion").asText() + " " + manifest.path("kind").asText();
      assertThat(TYPES).as(kind).containsKey(kind);
      Object read = STRICT.treeToValue(manifest, TYPES.get(kind));
      assertThat(read).as(kind).isNotNull();
    }
    assertThat(rendered("--set", "replicas=1", "--set", "ingress.enabled=false")).hasSize(3);
  }

  @Test
  void theCheckRefusesUnknownFieldsAndWrongTypes() throws Exception {
    String service = "{\"apiVersion\": \"v1\", \"kind\": \"Service\", \"spec\": %s}";
    for (String wrong : List.of("{\"port\": 1}", "{\"ports\": {\"port\": 1}}")) {
      assertThat(catchThrowable(() -> STRICT.readValue(service.formatted(wrong), Service.class)))
          .as(wrong)
          .isInstanceOf(IOException.class);
    }
    assertThat(STRICT.readValue(service.formatted("{\"ports\": [{\"port\": 1}]}"), Service.class))
        .isNotNull();
  }

  @Test
  void aNodeDrainsBeforeItIsKilledAndAnOutageOfRedisRestartsNone() throws Exception {
    JsonNode pod = deployment().at("/spec/template/spec");
    JsonNode container = pod.path("containers").get(0);
    assertThat(container.at("/readinessProbe/httpGet/path").asText()).isEqualTo("/health/ready");
    assertThat(container.at("/livenessProbe/httpGet/path").asText()).isEqualTo("/health/live");
    int drain = Integer.parseInt(environment(container).get("FAIRGATE_SERVER_DRAIN_SECONDS"));
    int sleep = container.at("/lifecycle/preStop/sleep/seconds").asInt();
    int period = container.at("/readinessProbe/periodSeconds").asInt();
    assertThat(drain).isGreaterThan(2 * period);
    assertThat(pod.path("terminationGracePeriodSeconds").asInt()).isGreaterThan(sleep + drain + 10);
    assertThat(container.at("/securityContext/readOnlyRootFilesystem").asBoolean()).isTrue();
    assertThat(pod.at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
  }

  @Test
  void theServerAcceptsEverySettingAndReadsSecretsFromFiles() throws Exception {
    Map<String, String> environment =
        environment(deployment().at("/spec/template/spec/containers/0"));
    Map<String, String> read = new HashMap<>(environment);
    for (Map.Entry<String, String> one : environment.entrySet()) {
      if (one.getKey().endsWith("_FILE")) {
        String secret =
            one.getKey().startsWith("REDIS") ? "redis://r:6379" : "postgresql://u:p@p/fairgate";
        String value = one.getKey().contains("URL") ? secret : "a-value";
        Path file = Files.writeString(folder.resolve(one.getKey()), value);
        assertThat(one.getValue()).startsWith("/run/secrets/fairgate/");
        read.put(one.getKey(), file.toString());
      }
    }
    FairgateConfig config = FairgateConfig.of(ConfigReader.read(Optional.empty(), read, Map.of()));
    assertThat(config.server().hasAdminPort()).isTrue();
    assertThat(config.stores().redis().url().expose()).isEqualTo("redis://r:6379");
  }

  @Test
  void noIngressLeadsToTheAdminPort() throws Exception {
    for (JsonNode manifest : rendered()) {
      if (manifest.path("kind").asText().equals("Ingress")) {
        assertThat(manifest.toString()).contains("\"name\":\"http\"").doesNotContain("admin");
      }
    }
  }

  @Test
  void secretsAndUnknownValuesAreRefused() throws Exception {
    for (String wrong :
        List.of("replica=3", "settings.FAIRGATE_OPERATOR_TOKEN=x", "drainSeconds=600")) {
      Outcome outcome = helm("template", "shop", CHART.toString(), "--set", wrong);
      assertThat(outcome.code()).as(wrong + ": " + outcome.output()).isNotZero();
    }
  }

  private static Map<String, String> environment(JsonNode container) {
    Map<String, String> environment = new HashMap<>();
    container
        .path("env")
        .forEach(one -> environment.put(one.path("name").asText(), one.path("value").asText()));
    return environment;
  }
}
