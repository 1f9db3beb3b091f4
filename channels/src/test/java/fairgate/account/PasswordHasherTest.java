package fairgate.account;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.account.PasswordHasher.PasswordHash;
import java.security.SecureRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PasswordHasherTest {
  private static final PasswordHasher HASHER =
      new PasswordHasher(AccountWorld.CHEAP, new SecureRandom());

  @AfterAll
  static void close() {
    HASHER.close();
  }

  /// The test vector of the reference implementation.
  @Test
  void itIsTheArgonOfEverybodyElse() {
    PasswordHash known =
        PasswordHash.parse(
                "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ"
                    + "$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc")
            .orElseThrow();
    assertThat(HASHER.matches("password", known)).isTrue();
    assertThat(HASHER.matches("Password", known)).isFalse();
  }

  @Test
  void aHashIsKeptWithAllThatIsNeeded() {
    PasswordHash made = HASHER.hash("some password");
    PasswordHash read = PasswordHash.parse(made.text()).orElseThrow();
    assertThat(made.text()).startsWith("$argon2id$v=19$m=16,t=1,p=1$").hasSize(94);
    assertThat(HASHER.matches("some password", read)).isTrue();
    assertThat(HASHER.matches("some passworD", read)).isFalse();
    assertThat(HASHER.outdated(read)).isFalse();
    assertThat(HASHER.hash("some password").text()).isNotEqualTo(made.text());
  }

  @Test
  void nobodyIsComparedWithAtTheSamePrice() {
    long before = HASHER.runs();
    assertThat(HASHER.matchesNobody("some password")).isFalse();
    assertThat(HASHER.runs()).isEqualTo(before + 1);
  }

  @Test
  void manyAtOnceDoNotMixUp() throws InterruptedException {
    AtomicInteger right = new AtomicInteger();
    CountDownLatch done = new CountDownLatch(40);
    for (int i = 0; i < 40; i++) {
      String password = "password of " + i;
      var _ =
          Thread.ofVirtual()
              .start(
                  () -> {
                    PasswordHash hash = HASHER.hash(password);
                    if (HASHER.matches(password, hash) && !HASHER.matches("another", hash)) {
                      right.incrementAndGet();
                    }
                    done.countDown();
                  });
    }
    done.await();
    assertThat(right).hasValue(40);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "plain",
        "$argon2i$v=19$m=16,t=1,p=1$c29tZXNhbHRzb21l$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHApl8",
        "$argon2id$v=19$m=99999999,t=1,p=1$c29tZXNhbHRzb21l$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHApl8",
        "$argon2id$v=19$m=16,t=1,p=4$c29tZXNhbHRzb21l$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHApl8"
      })
  void whatIsNoHashOfOursIsNotRead(String text) {
    assertThat(PasswordHash.parse(text)).isEmpty();
  }
}
