package fairgate.gate.risk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FeaturesTest {
  private static final FeatureSchema SCHEMA = FeatureSchema.latest();

  @Test
  void theSchemaHasAboutEightyDocumentedFeatures() {
    assertThat(SCHEMA.size()).isBetween(75, 90);
    assertThat(SCHEMA.features())
        .allSatisfy(
            feature -> {
              assertThat(feature.name()).matches("[a-z][a-z0-9_]*");
              assertThat(feature.meaning()).endsWith(".").hasSizeGreaterThan(5);
              assertThat(SCHEMA.feature(feature.name())).isSameAs(feature);
            });
    assertThat(FeatureSchema.version(SCHEMA.version())).contains(SCHEMA);
    assertThat(FeatureSchema.version(0)).isEmpty();
    assertThat(FeatureSchema.version(99)).isEmpty();
    assertThatThrownBy(() -> SCHEMA.feature("nothing")).hasMessageContaining("nothing");
  }

  @Test
  void randomFeaturesAreDecodedBitByBit() {
    Random random = new Random(7);
    for (int run = 0; run < 2_000; run++) {
      Features features = random(random);
      byte[] encoded = features.encode();
      Features decoded = Features.decode(encoded);
      assertThat(decoded).isEqualTo(features);
      assertThat(decoded.encode()).isEqualTo(encoded);
    }
  }

  @Test
  void aSchemaBeginsWithTheOneBeforeAndDecodesItsRecords() {
    FeatureSchema before = FeatureSchema.version(SCHEMA.version() - 1).orElseThrow();
    assertThat(SCHEMA.features().subList(0, before.size())).isEqualTo(before.features());
    Feature last = before.features().getLast();
    byte[] recorded = Features.builder(before).set(last, 7L).build().encode();
    Features decoded = Features.decode(recorded);
    assertThat(decoded).isEqualTo(Features.builder().set(last, 7L).build());
  }

  @Test
  void featuresThatAreNotSetCostOneBit() {
    int bytes = Features.builder().build().encode().length;
    assertThat(bytes).isEqualTo(1 + (SCHEMA.size() + 7) / 8);
  }

  private static Features random(Random random) {
    Features.Builder features = Features.builder();
    for (Feature feature : SCHEMA.features()) {
      if (random.nextInt(3) == 0) {
        continue;
      }
      switch (feature.type()) {
        case LONG -> features.set(feature, random.nextLong() >> random.nextInt(64));
        case BOOLEAN -> features.set(feature, random.nextBoolean());
        case DOUBLE -> features.set(feature, Double.longBitsToDouble(random.nextLong()));
        case STRING -> features.set(feature, "x".repeat(random.nextInt(70)));
      }
    }
    return features.build();
  }

  @Test
  void damagedBytesAreRefusedAndNeverFailOtherwise() {
    Random random = new Random(11);
    for (int run = 0; run < 5_000; run++) {
      byte[] damaged = random(random).encode();
      damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
      byte[] cut = Arrays.copyOf(damaged, random.nextInt(damaged.length + 2));
      try {
        assertThat(Features.decode(cut)).isNotNull();
      } catch (IllegalArgumentException e) {
        assertThat(e).hasMessageNotContaining("null");
      }
    }
    assertThatThrownBy(() -> Features.decode(new byte[] {99, 0})).hasMessageContaining("schema 99");
  }

  @Test
  void textsKeepSixtyFourPrintableCharacters() {
    Feature country = SCHEMA.feature("country");
    Features features = Features.builder().set(country, "台灣\n" + "a".repeat(100)).build();
    assertThat(features.text(country)).isEqualTo("???" + "a".repeat(61));
    assertThat(features.toString()).startsWith("{country=???a");
  }

  @Test
  void aBuilderRefusesTheWrongTypeAndAFeatureOfAnotherSchema() {
    Feature country = SCHEMA.feature("country");
    assertThatThrownBy(() -> Features.builder().set(country, 1L))
        .isInstanceOf(IllegalArgumentException.class);
    Feature foreign =
        new Feature(0, "route", Feature.Type.STRING, Feature.Privacy.NONE, "Another one.");
    assertThatThrownBy(() -> Features.builder().set(foreign, "x"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aBuiltValueDoesNotChangeWithItsBuilder() {
    Feature quantity = SCHEMA.feature("quantity");
    Features.Builder builder = Features.builder().set(quantity, 1L);
    Features built = builder.build();
    builder.set(quantity, 2L);
    assertThat(built.number(quantity)).isEqualTo(1);
  }
}
