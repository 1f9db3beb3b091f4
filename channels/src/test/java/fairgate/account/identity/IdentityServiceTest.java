package fairgate.account.identity;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.account.AccountWorld;
import fairgate.account.Budgets;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.ProductId;
import fairgate.platform.text.Language;
import io.vertx.core.Future;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

final class IdentityServiceTest {
  private static final AtomicLong PHONES = new AtomicLong(System.nanoTime() % 90_000_000L);
  private static final ProductId CONCERT = new ProductId("7");
  private static final ProductId OTHER = new ProductId("8");

  @SuppressWarnings("NullAway.Init")
  private static AccountWorld world;

  private final SentCodes sent = new SentCodes();
  private final IdentityService service = service(Budgets.UNLIMITED);
  private final String account = world.account();
  private final PhoneNumber phone = phone();

  @BeforeAll
  static void open() {
    world = new AccountWorld();
  }

  @AfterAll
  static void close() {
    world.close();
  }

  /// The outside service, which works as long as the test says so.
  private static final class SentCodes implements IdentityVerifier {
    final Queue<String> codes = new ConcurrentLinkedQueue<>();
    boolean works = true;
    NameCheck name = NameCheck.MATCHES;

    @Override
    public boolean sendCode(String to, String code, Language language) {
      codes.add(code);
      return works;
    }

    @Override
    public NameCheck checkName(String who, String idNumber) {
      return name;
    }

    String last() {
      return codes.stream().reduce((_, next) -> next).orElseThrow();
    }
  }

  private static PhoneNumber phone() {
    return PhoneNumber.of("+8869%08d".formatted(PHONES.incrementAndGet())).orElseThrow();
  }

  private IdentityService service(Budgets budgets) {
    return new IdentityService(
        sent,
        new OneTimeCodes(world.redis(), world.keys(), new SecureRandom()),
        new PostgresIdentities(world.database()),
        budgets,
        world.keys(),
        world.clock());
  }

  private IdentityService.Requester asker(String who) {
    return asker(who, "192.0.2.1");
  }

  private static IdentityService.Requester asker(String who, String from) {
    return new IdentityService.Requester(
        who, Objects.requireNonNull(ClientAddress.parse(from)), Language.EN);
  }

  private String code(String who, PhoneNumber to) {
    assertThat(service.sendCode(asker(who), to)).isInstanceOf(SendCodeOutcome.Sent.class);
    return sent.last();
  }

  private static String other(String code) {
    return code.equals("000000") ? "000001" : "000000";
  }

  @Test
  void aPhoneIsVerifiedByTheCodeSentToIt() {
    String code = code(account, phone);
    assertThat(code).matches("\\d{6}");
    assertThat(service.confirm(account, phone, code)).isInstanceOf(VerifyOutcome.Verified.class);
    assertThat(service.of(account).await())
        .singleElement()
        .satisfies(
            it -> {
              assertThat(it.kind()).isEqualTo("phone");
              assertThat(phone.value()).endsWith(it.hint());
            });
  }

  @Test
  void aCodeIsGoodOnceAlsoForManyAtATime() throws InterruptedException {
    String code = code(account, phone);
    AtomicInteger verified = new AtomicInteger();
    CountDownLatch done = new CountDownLatch(4);
    for (int i = 0; i < 4; i++) {
      var _ =
          Thread.ofVirtual()
              .start(
                  () -> {
                    if (new OneTimeCodes(world.redis(), world.keys(), new SecureRandom())
                        .take(account, phone, code)) {
                      verified.incrementAndGet();
                    }
                    done.countDown();
                  });
    }
    done.await();
    assertThat(verified).hasValue(1);
    assertThat(service.confirm(account, phone, code)).isEqualTo(new VerifyOutcome.WrongCode());
  }

  @Test
  void aCodeMayBeTriedFiveTimes() {
    String code = code(account, phone);
    for (int i = 0; i < OneTimeCodes.MAX_TRIES; i++) {
      assertThat(service.confirm(account, phone, other(code)))
          .isEqualTo(new VerifyOutcome.WrongCode());
    }
    assertThat(service.confirm(account, phone, code)).isEqualTo(new VerifyOutcome.WrongCode());
  }

  @Test
  void aCodeIsForOneAccountAndOneNumber() {
    String code = code(account, phone);
    assertThat(service.confirm(world.account(), phone, code))
        .isEqualTo(new VerifyOutcome.WrongCode());
    assertThat(service.confirm(account, phone(), code)).isEqualTo(new VerifyOutcome.WrongCode());
    assertThat(service.confirm(account, phone, code)).isInstanceOf(VerifyOutcome.Verified.class);
  }

  @Test
  void aCodeIsKeptAsAHashAndEndsByItself() {
    String code = code(account, phone);
    String key = OneTimeCodes.key(account);
    assertThat(world.redis().send("GET", key).await().text()).doesNotContain(code);
    assertThat(world.redis().send("PTTL", key).await().number()).isBetween(290_000L, 300_000L);
  }

  @Test
  void aNumberIsSentACodeRarelyWhoeverAsks() {
    IdentityService limited = service(world.budgets());
    assertThat(limited.sendCode(asker(account), phone)).isInstanceOf(SendCodeOutcome.Sent.class);
    assertThat(limited.sendCode(asker(world.account()), phone))
        .isInstanceOfSatisfying(
            SendCodeOutcome.TooMany.class,
            much ->
                assertThat(much.retryAfter())
                    .isBetween(Duration.ofSeconds(20), Duration.ofMinutes(1)));
    assertThat(sent.codes).hasSize(1);
  }

  /// A household picks its addresses freely within its /56.
  @Test
  void theAddressesOfOneIpv6HouseholdShareABudgetOfCodes() {
    IdentityService limited = service(world.budgets());
    String house = "2001:db8:%x:7700::".formatted(PHONES.incrementAndGet() & 0xffff);
    for (int i = 1; i <= 10; i++) {
      assertThat(limited.sendCode(asker(world.account(), house + i), phone()))
          .isInstanceOf(SendCodeOutcome.Sent.class);
    }
    assertThat(limited.sendCode(asker(world.account(), house + "b"), phone()))
        .isInstanceOf(SendCodeOutcome.TooMany.class);
    String neighbour = house.replace(":7700:", ":7800:") + "1";
    assertThat(limited.sendCode(asker(world.account(), neighbour), phone()))
        .isInstanceOf(SendCodeOutcome.Sent.class);
  }

  @Test
  void whatCannotBeSentIsSaidSo() {
    sent.works = false;
    assertThat(service.sendCode(asker(account), phone)).isEqualTo(new SendCodeOutcome.Unsent());
  }

  @Test
  void aPhoneBelongsToOneAccountAndMayBeChanged() {
    String other = world.account();
    assertThat(service.confirm(account, phone, code(account, phone)))
        .isInstanceOf(VerifyOutcome.Verified.class);
    assertThat(service.confirm(other, phone, code(other, phone)))
        .isEqualTo(new VerifyOutcome.Taken());
    PhoneNumber next = phone();
    assertThat(service.confirm(account, next, code(account, next)))
        .isInstanceOf(VerifyOutcome.Verified.class);
    assertThat(service.of(account).await()).hasSize(1);
    assertThat(service.confirm(other, phone, code(other, phone)))
        .isInstanceOf(VerifyOutcome.Verified.class);
  }

  @Test
  void anIdentityNumberIsKeptAsAHashThatDiffersFromSaleToSale() {
    String number = "A" + PHONES.incrementAndGet();
    assertThat(service.verifyNumber(account, CONCERT, "王小明", number))
        .isInstanceOf(VerifyOutcome.Verified.class);
    assertThat(service.verifyNumber(account, OTHER, "王小明", number))
        .isInstanceOf(VerifyOutcome.Verified.class);
    assertThat(service.numberHash(CONCERT, number)).isNotEqualTo(service.numberHash(OTHER, number));
    List<String> rows =
        world
            .database()
            .query("SELECT i::text AS t FROM account_identities i WHERE account_id = $1", account)
            .await()
            .stream()
            .map(row -> row.getString("t"))
            .toList();
    assertThat(rows).hasSize(2).noneMatch(row -> row.contains(number));
  }

  @Test
  void withinASaleAPersonHasOneAccountAndAnAccountIsOnePerson() {
    String number = "B" + PHONES.incrementAndGet();
    assertThat(service.verifyNumber(account, CONCERT, "Anna", number))
        .isInstanceOf(VerifyOutcome.Verified.class);
    assertThat(service.verifyNumber(account, CONCERT, "Anna", number))
        .isInstanceOf(VerifyOutcome.Verified.class);
    assertThat(service.verifyNumber(world.account(), CONCERT, "Anna", number))
        .isEqualTo(new VerifyOutcome.Taken());
    assertThat(service.verifyNumber(account, CONCERT, "Bert", number + "9"))
        .isEqualTo(new VerifyOutcome.Taken());
  }

  @Test
  void aNameThatDiffersBindsNothing() {
    sent.name = IdentityVerifier.NameCheck.DIFFERS;
    assertThat(service.verifyNumber(account, CONCERT, "Anna", "C12345"))
        .isEqualTo(new VerifyOutcome.NameMismatch());
    sent.name = IdentityVerifier.NameCheck.UNKNOWN;
    assertThat(service.verifyNumber(account, CONCERT, "Anna", "C12345"))
        .isEqualTo(new VerifyOutcome.Unknown());
    assertThat(service.of(account).await()).isEmpty();
  }

  @Test
  void numbersCannotBeTriedOutAgainstTheRegister() {
    IdentityService limited = service(world.budgets());
    for (int i = 0; i < 5; i++) {
      assertThat(limited.verifyNumber(account, CONCERT, "Anna", "D" + PHONES.incrementAndGet()))
          .isNotInstanceOf(VerifyOutcome.TooMany.class);
    }
    assertThat(limited.verifyNumber(account, CONCERT, "Anna", "D1234"))
        .isInstanceOf(VerifyOutcome.TooMany.class);
  }

  @Test
  void numbersAreReadInAnyCommonNotation() {
    for (String written :
        List.of(
            "+886 912-345-678",
            "+886 (0) 912 345 678",
            "00886912345678",
            "00 886 912.345.678",
            "＋８８６９１２３４５６７８")) {
      assertThat(PhoneNumber.of(written)).as(written).contains(new PhoneNumber("+886912345678"));
    }
    for (String wrong :
        List.of(
            "",
            "+",
            "00",
            "0912345678",
            "+0123456789",
            "+12",
            "+8869x2345678",
            "+886 912345678 ext. 5",
            "+1 212 555 012",
            "+1 900 234 5678", // premium rate
            "+886 800 123 456", // toll-free
            "+" + "9".repeat(39),
            "+" + "9".repeat(60))) {
      assertThat(PhoneNumber.of(wrong)).as(wrong).isEmpty();
    }
    assertThat(phone.toString()).doesNotContain(phone.value());
  }

  @Test
  void budgetsOfOthersDoNotMatter() {
    Budgets none = (_, _) -> Future.succeededFuture(Duration.ofSeconds(3));
    assertThat(service(none).sendCode(asker(account), phone))
        .isEqualTo(new SendCodeOutcome.TooMany(Duration.ofSeconds(3)));
    assertThat(sent.codes).isEmpty();
  }
}
