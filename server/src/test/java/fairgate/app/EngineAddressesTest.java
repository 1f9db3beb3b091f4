package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.app.config.ConfigReader;
import fairgate.app.config.FairgateConfig;
import fairgate.platform.postgres.PostgresSettings;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class EngineAddressesTest {
  @Test
  void theDatabaseUrlIsTakenApart() {
    assertThat(postgres("postgresql://shop:p%40ss+1@db.example:6543/sales"))
        .isEqualTo(new PostgresSettings("db.example", 6543, "shop", "p@ss+1", "sales", 8));
  }

  @Test
  void thePortOfPostgresIsKnown() {
    assertThat(postgres("postgres://shop:secret@db/sales").port()).isEqualTo(5432);
  }

  private static PostgresSettings postgres(String url) {
    Map<String, String> environment = Map.of("DATABASE_URL", url, "REDIS_URL", "redis://redis");
    FairgateConfig config =
        FairgateConfig.of(ConfigReader.read(Optional.empty(), environment, Map.of()));
    return EngineAddresses.external(config).postgres();
  }
}
