package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.account.oidc.OidcConfig;
import fairgate.app.command.StartFailed;
import fairgate.app.config.ConfigReader;
import fairgate.app.config.FairgateConfig;
import fairgate.app.config.ServeChecks;
import fairgate.platform.feature.Feature;
import fairgate.platform.text.Language;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// What features get of the settings: the ways to sign in, time zones, and addresses.
class SettingsTest {
  private static final String SECRET = "0123456789abcdef0123456789abcdef";

  private static FairgateConfig config(Map<String, String> settings) {
    return FairgateConfig.of(
        ConfigReader.read(Optional.empty(), Map.of(), new HashMap<>(settings)));
  }

  private static OidcConfig providers(Map<String, String> settings) {
    return SignInWiring.providers(config(settings).signIn());
  }

  @Test
  void providersAreReadInTheirOrderWithLineAsAPreset() {
    OidcConfig oidc =
        providers(
            Map.of(
                "sign_in.providers", "line=line, google=https://accounts.google.com",
                "sign_in.client_ids", "google=g-1, line=123",
                "sign_in.client_secrets", "line=" + SECRET + ", google=a=b",
                "sign_in.scopes", "google=openid profile"));
    assertThat(oidc.providers())
        .containsExactly(
            new OidcConfig.Provider(
                "line", "LINE", "https://access.line.me", "123", SECRET, List.of("openid"), true),
            new OidcConfig.Provider(
                "google",
                "Google",
                "https://accounts.google.com",
                "g-1",
                "a=b",
                List.of("openid", "profile"),
                false));
    assertThat(oidc.toString()).doesNotContain(SECRET);
  }

  @Test
  void callersWithoutALanguageGetThatOfTheShopAlsoInLine() {
    FairgateConfig config = config(Map.of("default_language", "zh-Hans"));
    assertThat(Settings.http(config).defaultLanguage()).isEqualTo(Language.ZH_HANS);
    assertThat(Settings.site(config).language()).isEqualTo(Language.ZH_HANS);
  }

  @Test
  void behaviorIsNotCountedWhereItIsOffOrNobodyJudgesIt() {
    assertThat(Settings.pages(config(Map.of())).behavior()).isTrue();
    assertThat(Settings.pages(config(Map.of("risk.mode", "off"))).behavior()).isFalse();
    FairgateConfig off = config(Map.of("signals.behavior", "off"));
    assertThat(Settings.pages(off).behavior()).isFalse();
    assertThat(Settings.signals(off.gate().signals()).behavior()).isFalse();
  }

  @Test
  void wrongSettingsAreNamed() {
    Map<String, String> bad =
        Map.of(
            "line=line", "channel secret",
            "shop=http://idp.example.com", "expected shop=https://issuer",
            "Shop=https://idp.example.com", "lower-case",
            "shop=https://a.example.com,shop=https://b.example.com", "twice");
    bad.forEach(
        (providers, text) -> {
          String name = providers.substring(0, providers.indexOf('='));
          Map<String, String> settings =
              Map.of("sign_in.providers", providers, "sign_in.client_ids", name + "=1");
          assertThatThrownBy(() -> providers(settings))
              .as(providers)
              .isInstanceOf(StartFailed.class)
              .hasMessageContaining(text);
        });
    assertThatThrownBy(() -> providers(Map.of("sign_in.client_ids", "nobody=1")))
        .hasMessageContaining("sign_in.providers has no nobody");
    assertThatThrownBy(() -> providers(Map.of("sign_in.client_secrets", "a-secret-alone")))
        .hasMessageContaining("name=value")
        .hasMessageNotContaining("a-secret-alone");
  }

  @Test
  void serveNeedsAnHttpsAddressForProviders() {
    Map<String, String> settings = new HashMap<>();
    settings.put("sign_in.providers", "shop=https://idp.example.com");
    settings.put("sign_in.client_ids", "shop=1");
    assertThat(ServeChecks.findings(config(settings)).toString()).contains("sign_in.base_url");
    settings.put("sign_in.base_url", "http://tickets.example.com");
    assertThat(ServeChecks.findings(config(settings)).toString()).contains("sign_in.base_url");
    settings.put("sign_in.base_url", "https://tickets.example.com");
    assertThat(ServeChecks.findings(config(settings)).toString())
        .doesNotContain("sign_in.base_url");
  }

  @Test
  void theShopsTimeZoneIsTheDefaultOfTheOthers() {
    FairgateConfig config = config(Map.of("shop.time_zone", "Asia/Taipei"));
    assertThat(Settings.site(config).pages().zone()).isEqualTo(ZoneId.of("Asia/Taipei"));
    assertThat(Settings.pages(config).zone()).isEqualTo(ZoneId.of("Asia/Taipei"));
  }

  @Test
  void featuresGetAllConfiguredAddressesOfTheServer() {
    Feature.Site site =
        Settings.site(
            config(
                Map.of(
                    "links.base_url", "https://go.example/",
                    "sign_in.base_url", "https://tickets.example",
                    "operators.base_url", "https://console.example",
                    "line.shop_url", "https://line.example")));
    assertThat(site.baseUrl()).isEqualTo("https://go.example");
    assertThat(site.shopUrl()).isEqualTo("https://line.example");
    assertThat(site.otherUrls())
        .containsExactly(
            "https://tickets.example", "https://console.example", "https://line.example");
  }

  @Test
  void onlyAServerWithEmbeddedEnginesIsATrial() {
    assertThat(Settings.site(config(Map.of())).isUp()).isTrue();
    assertThat(Settings.site(config(Map.of("redis.url", "redis://redis.example"))).isUp())
        .isFalse();
  }
}
