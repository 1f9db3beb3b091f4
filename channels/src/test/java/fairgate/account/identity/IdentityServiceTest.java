package fairgate.account.identity;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.account.AccountWorld;
import fairgate.account.Budgets;
import fairgate.account.CredentialService;
import fairgate.account.identity.CodeSender.CodeRequest;
import fairgate.account.identity.CodeSender.Origin;
import fairgate.account.identity.IdentityService.SendCodeOutcome;
import fairgate.account.identity.IdentityService.VerifyOutcome;
import fairgate.account.message.MessageConfig;
import fairgate.account.message.MessageFeature;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.ProductId;
import fairgate.platform.observe.Metrics;
import fairgate.platform.text.Language;
import fairgate.testkit.Eventually;
import fairgate.testkit.FakeSmsGateway;
import io.vertx.core.Future;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
final class IdentityServiceTest {
  private static final AtomicLong PHONES = new AtomicLong(System.nanoTime() % 90_000_000L);
  private static final String SECRET = "whsec_" + "c2VjcmV0".repeat(5);
  private static final ProductId CONCERT = new ProductId("7");
  private static final ProductId OTHER = new ProductId("8");

  @SuppressWarnings("NullAway.Init")
  private static AccountWorld world;

  @SuppressWarnings("NullAway.Init")
  private static FakeSmsGateway gateway;

  @SuppressWarnings("NullAway.Init")
  private static MessageFeature messages;

  private PersonRegister.NameCheck name = PersonRegister.NameCheck.MATCHES;
  private final IdentityService service = service(Budgets.UNLIMITED);
  private final String account = world.account();
  private final Contact phone = phone();

  @BeforeAll
  static void open() {
    world = new AccountWorld();
    gateway = FakeSmsGateway.start(0, SECRET, "AC1:token", world.clock());
    messages =
        MessageFeature.wire(
            new MessageConfig(
                new MessageConfig.Sender.Webhook(gateway.webhookUrl(), List.of(SECRET)),
                new MessageConfig.Sender.None(),
                new MessageConfig.Limits(1_000, Set.of())),
            new MessageFeature.Dependencies(
                world.database(),
                world.budgets(),
                world.keys(),
                world.ids(),
                world.clock(),
                new Metrics()));
    messages.start();
  }

  @AfterAll
  static void close() {
    messages.close();
    gateway.close();
    world.close();
  }

  private static Contact phone() {
    return PhoneNumber.of("+8869%08d".formatted(PHONES.incrementAndGet())).orElseThrow().contact();
  }

  private static OneTimeCodes codes() {
    return new OneTimeCodes(world.redis(), world.keys(), new SecureRandom());
  }

  private static CodeSender sender(Budgets budgets, int perHour) {
    return sender(budgets, new MessageConfig.Limits(perHour, Set.of()));
  }

  private static CodeSender sender(Budgets budgets, MessageConfig.Limits limits) {
    return new CodeSender(
        codes(),
        messages.outbox(),
        limits,
        new CodeSender.Parts(budgets, world.keys(), world.ids(), world.clock()));
  }

  private IdentityService service(Budgets budgets) {
    return service(budgets, 1_000_000);
  }

  private IdentityService service(Budgets budgets, int perHour) {
    return new IdentityService(
        (_, _) -> name,
        sender(budgets, perHour),
        codes(),
        new PostgresIdentities(world.database()),
        new CodeSender.Parts(budgets, world.keys(), world.ids(), world.clock()));
  }

  private PasswordRecovery recovery(Budgets budgets) {
    return new PasswordRecovery(
        sender(budgets, 1_000_000),
        codes(),
        new PostgresIdentities(world.database()),
        world.credentials(),
        new CodeSender.Parts(budgets, world.keys(), world.ids(), world.clock()),
        messages.channels(),
        (_, _) -> Future.succeededFuture(Optional.empty()));
  }

  private static Origin from(String address) {
    return new Origin(Objects.requireNonNull(ClientAddress.parse(address)), Language.EN);
  }

  private static SendCodeOutcome send(IdentityService by, String account, Contact to) {
    return by.sendCode(account, to, from("192.0.2.1"));
  }

  /// The codes that a telephone has received, oldest first.
  private static List<String> received(Contact phone) {
    return gateway.delivered().stream()
        .filter(sms -> sms.to().equals(phone.value()))
        .map(sms -> sms.text().replaceAll("^(\\d{6}) .*", "$1"))
        .toList();
  }

  private static String next(Contact phone, int before) {
    return Eventually.get("a code", () -> received(phone), all -> all.size() > before).getLast();
  }

  private String code(String who, Contact to) {
    int before = received(to).size();
    assertThat(send(service, who, to)).isInstanceOf(SendCodeOutcome.Sent.class);
    return next(to, before);
  }

  private static String other(String code) {
    return code.equals("000000") ? "000001" : "000000";
  }

  /// A code as a person copies it from a message.
  private static String typed(String code) {
    return "\u3000" + code.substring(0, 3) + " － " + code.substring(3) + "\u200b\n";
  }

  @Test
  void aPhoneIsVerifiedByTheCodeSentToIt() {
    String code = code(account, phone);
    assertThat(code).matches("\\d{6}");
    assertThat(service.confirm(account, phone, typed(code), Language.EN))
        .isInstanceOf(VerifyOutcome.Verified.class);
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
                    if (codes().take(account, phone, code)) {
                      verified.incrementAndGet();
                    }
                    done.countDown();
                  });
    }
    done.await();
    assertThat(verified).hasValue(1);
    assertThat(service.confirm(account, phone, code, Language.EN))
        .isEqualTo(new VerifyOutcome.WrongCode());
  }

  @Test
  void aCodeMayBeTriedFiveTimes() {
    String code = code(account, phone);
    for (int i = 0; i < OneTimeCodes.MAX_TRIES; i++) {
      assertThat(service.confirm(account, phone, other(code), Language.EN))
          .isEqualTo(new VerifyOutcome.WrongCode());
    }
    assertThat(service.confirm(account, phone, code, Language.EN))
        .isEqualTo(new VerifyOutcome.WrongCode());
  }

  @Test
  void aCodeIsForOneAccountAndOneNumber() {
    String code = code(account, phone);
    assertThat(service.confirm(world.account(), phone, code, Language.EN))
        .isEqualTo(new VerifyOutcome.WrongCode());
    assertThat(service.confirm(account, phone(), code, Language.EN))
        .isEqualTo(new VerifyOutcome.WrongCode());
    assertThat(service.confirm(account, phone, code, Language.EN))
        .isInstanceOf(VerifyOutcome.Verified.class);
  }

  @Test
  void aCodeIsKeptAsAHashAndEndsByItself() {
    String code = code(account, phone);
    String key = OneTimeCodes.key(account);
    assertThat(world.redis().send("GET", key).await().text()).doesNotContain(code);
    assertThat(world.redis().send("PTTL", key).await().number()).isBetween(200_000L, 300_000L);
  }

  @Test
  void aNumberIsSentACodeRarelyWhoeverAsks() {
    IdentityService limited = service(world.budgets());
    assertThat(send(limited, account, phone)).isInstanceOf(SendCodeOutcome.Sent.class);
    assertThat(send(limited, world.account(), phone))
        .isInstanceOfSatisfying(
            SendCodeOutcome.TooMany.class,
            much ->
                assertThat(much.retryAfter())
                    .isBetween(Duration.ofSeconds(20), Duration.ofMinutes(1)));
    assertThat(next(phone, 0)).isEqualTo(received(phone).getFirst());
    assertThat(received(phone)).hasSize(1);
  }

  /// A household picks its addresses freely within its /56.
  @Test
  void theAddressesOfOneIpv6HouseholdShareABudgetOfCodes() {
    IdentityService limited = service(world.budgets());
    String house = "2001:db8:%x:7700::".formatted(PHONES.incrementAndGet() & 0xffff);
    for (int i = 1; i <= 10; i++) {
      assertThat(limited.sendCode(world.account(), phone(), from(house + i)))
          .isInstanceOf(SendCodeOutcome.Sent.class);
    }
    assertThat(limited.sendCode(world.account(), phone(), from(house + "b")))
        .isInstanceOf(SendCodeOutcome.TooMany.class);
    String neighbour = house.replace(":7700:", ":7800:") + "1";
    assertThat(limited.sendCode(world.account(), phone(), from(neighbour)))
        .isInstanceOf(SendCodeOutcome.Sent.class);
  }

  @Test
  void aRefusedRequestUsesNothingUp() {
    IdentityService none = service(world.budgets(), 1);
    int spent = 0;
    while (send(none, world.account(), phone()) instanceof SendCodeOutcome.Sent) {
      spent++;
    }
    assertThat(spent).isLessThanOrEqualTo(1);
    assertThat(send(none, account, phone)).isInstanceOf(SendCodeOutcome.TooMany.class);
    assertThat(service(world.budgets()).sendCode(account, phone, from("198.51.100.7")))
        .isInstanceOf(SendCodeOutcome.Sent.class);
  }

  @Test
  void anEmailAddressIsAnIdentityOfItsOwn() {
    Contact email =
        EmailAddress.of("Anna" + PHONES.incrementAndGet() + "@Example.COM").orElseThrow().contact();
    String scope = IdentityService.scope(account, email);
    String code = codes().make(scope, email);
    assertThat(service.confirm(account, email, code, Language.EN))
        .isInstanceOf(VerifyOutcome.Verified.class);
    assertThat(service.confirm(account, phone, code(account, phone), Language.EN))
        .isInstanceOf(VerifyOutcome.Verified.class);
    assertThat(service.of(account).await())
        .extracting(Identity::kind)
        .containsExactlyInAnyOrder("email", "phone");
    Contact same = EmailAddress.of(email.value().toUpperCase(Locale.ROOT)).orElseThrow().contact();
    String other = world.account();
    String again = codes().make(IdentityService.scope(other, same), same);
    assertThat(service.confirm(other, same, again, Language.EN))
        .isEqualTo(new VerifyOutcome.Taken());
  }

  @Test
  void emailAddressesAreReadStrictly() {
    for (String right : List.of("a@b.example", " anna.b+c@sub.example.com ", "x@müller.example")) {
      assertThat(EmailAddress.of(right)).as(right).isPresent();
    }
    for (String wrong :
        List.of(
            "",
            "@",
            "a@b",
            "a@@b.example",
            "a b@c.example",
            "a@b.example, c@d.example",
            "a@b.example\r\nBcc: c@d.example",
            "Anna <a@b.example>",
            ".a@b.example",
            "a@-b.example",
            "a@127.0.0.1",
            "a".repeat(65) + "@b.example",
            "a@" + "b".repeat(300) + ".example")) {
      assertThat(EmailAddress.of(wrong)).as(wrong).isEmpty();
    }
  }

  private static PasswordRecovery.Outcome confirm(PasswordRecovery by, Contact to, String code) {
    return by.confirm(to.value(), code, from("192.0.2.9").address());
  }

  @Test
  void theOwnerOfAPhoneGetsATokenForANewPassword() {
    assertThat(service.confirm(account, phone, code(account, phone), Language.EN))
        .isInstanceOf(VerifyOutcome.Verified.class);
    PasswordRecovery recovery = recovery(Budgets.UNLIMITED);
    ClientAddress address = from("192.0.2.9").address();
    assertThat(recovery.request(phone.value(), address, Language.EN))
        .containsInstanceOf(SendCodeOutcome.Sent.class);
    String code = next(phone, 1);
    assertThat(confirm(recovery, phone, other(code)))
        .isEqualTo(new PasswordRecovery.Outcome.WrongCode());
    assertThat(confirm(recovery, phone, typed(code)))
        .isInstanceOfSatisfying(
            PasswordRecovery.Outcome.Proven.class,
            proven ->
                assertThat(
                        world
                            .credentials()
                            .reset(proven.reset().token(), "staple of wild horses")
                            .await())
                    .isInstanceOf(CredentialService.Outcome.Done.class));
    assertThat(confirm(recovery, phone, code)).isEqualTo(new PasswordRecovery.Outcome.WrongCode());
  }

  @Test
  void aContactOfNoAccountIsAnsweredTheSameAndGetsNoMessage() {
    PasswordRecovery recovery = recovery(world.budgets());
    ClientAddress address = from("203.0.113.77").address();
    assertThat(recovery.request(phone.value(), address, Language.EN))
        .containsInstanceOf(SendCodeOutcome.Sent.class);
    assertThat(recovery.request(phone.value(), address, Language.EN))
        .containsInstanceOf(SendCodeOutcome.TooMany.class);
    assertThat(recovery.request("nobody@example.com", address, Language.EN)).isEmpty();
    Contact witness = phone();
    String _ = code(world.account(), witness);
    assertThat(received(phone)).isEmpty();
  }

  /// Each of them used up the codes of the buyer who verifies the number from another network.
  @Test
  void requestsOfStrangersForNewPasswordsUseUpNoCodeOfVerification() {
    PasswordRecovery recovery = recovery(world.budgets());
    IdentityService limited = service(world.budgets());
    Origin everybody = from("198.18.3.4");
    for (int i = 0; i < 10; i++) {
      assertThat(recovery.request(phone().value(), everybody.address(), Language.EN))
          .containsInstanceOf(SendCodeOutcome.Sent.class);
    }
    assertThat(recovery.request(phone.value(), from("198.18.4.4").address(), Language.EN))
        .containsInstanceOf(SendCodeOutcome.Sent.class);
    assertThat(limited.sendCode(account, phone, everybody))
        .isInstanceOf(SendCodeOutcome.Sent.class);
  }

  @Test
  void anotherAccountUsesUpNoCodeOfTheOneThatHasVerifiedTheNumber() {
    assertThat(service.confirm(account, phone, code(account, phone), Language.EN))
        .isInstanceOf(VerifyOutcome.Verified.class);
    IdentityService limited = service(world.budgets());
    assertThat(limited.sendCode(world.account(), phone, from("198.18.5.4")))
        .isInstanceOf(SendCodeOutcome.Sent.class);
    assertThat(limited.sendCode(world.account(), phone, from("198.18.5.5")))
        .isInstanceOf(SendCodeOutcome.TooMany.class);
    assertThat(limited.sendCode(account, phone, from("198.18.5.6")))
        .isInstanceOf(SendCodeOutcome.Sent.class);
  }

  /// Nobody has verified the number. Two accounts used its codes of the day up.
  @Test
  void accountsOfOneNetworkLeaveCodesForTheOwnerOfANumber() {
    Map<String, Integer> spent = new HashMap<>();
    Budgets ofDays =
        (budget, who) ->
            Future.succeededFuture(
                budget.window().toDays() < 1
                        || spent.merge(budget.name() + who, 1, Integer::sum) <= budget.max()
                    ? Duration.ZERO
                    : Duration.ofHours(1));
    IdentityService limited = service(ofDays);
    int sent = 0;
    for (int network = 1; network <= 5; network++) {
      for (int person = 0; person < 3; person++) {
        String stranger = world.account();
        Origin origin = from("198.19.%d.%d".formatted(network, person));
        while (limited.sendCode(stranger, phone, origin) instanceof SendCodeOutcome.Sent) {
          sent++;
        }
      }
      assertThat(sent).isEqualTo(Math.min(19, 5 * network));
      if (network == 1) {
        assertThat(limited.sendCode(account, phone, from("192.0.2.9")))
            .isInstanceOf(SendCodeOutcome.Sent.class);
      }
    }
  }

  @Test
  void decoysCountInNoLimitOfAllMessages() {
    String key = "rl:code_all:messages";
    long before = world.redis().send("ZCARD", key).await().number();
    PasswordRecovery recovery = recovery(world.budgets());
    assertThat(recovery.request(phone.value(), from("198.18.6.4").address(), Language.EN))
        .containsInstanceOf(SendCodeOutcome.Sent.class);
    Eventually.await(
        "the decoy is given back",
        () -> world.redis().send("ZCARD", key).await().number() <= before);
  }

  @Test
  void oneAddressCannotTryManyCodes() {
    PasswordRecovery recovery = recovery(world.budgets());
    ClientAddress address = from("203.0.113.78").address();
    for (int i = 0; i < 30; i++) {
      assertThat(recovery.confirm(phone().value(), "123456", address))
          .isEqualTo(new PasswordRecovery.Outcome.WrongCode());
    }
    assertThat(recovery.confirm(phone.value(), "123456", address))
        .isInstanceOf(PasswordRecovery.Outcome.TooMany.class);
  }

  @Test
  void aPhoneBelongsToOneAccountAndMayBeChanged() {
    String other = world.account();
    assertThat(service.confirm(account, phone, code(account, phone), Language.EN))
        .isInstanceOf(VerifyOutcome.Verified.class);
    assertThat(service.confirm(other, phone, code(other, phone), Language.EN))
        .isEqualTo(new VerifyOutcome.Taken());
    Contact next = phone();
    assertThat(service.confirm(account, next, code(account, next), Language.EN))
        .isInstanceOf(VerifyOutcome.Verified.class);
    assertThat(service.of(account).await()).hasSize(1);
    assertThat(service.confirm(other, phone, code(other, phone), Language.EN))
        .isInstanceOf(VerifyOutcome.Verified.class);
  }

  @Test
  void anIdentityNumberIsKeptAsAHashThatDiffersFromSaleToSale() {
    String number = "A" + PHONES.incrementAndGet();
    assertThat(service.verifyNumber(account, CONCERT, "王小明", number))
        .isInstanceOf(VerifyOutcome.Verified.class);
    assertThat(service.verifyNumber(account, OTHER, "王小明", number))
        .isInstanceOf(VerifyOutcome.Verified.class);
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
    name = PersonRegister.NameCheck.DIFFERS;
    assertThat(service.verifyNumber(account, CONCERT, "Anna", "C12345"))
        .isEqualTo(new VerifyOutcome.NameMismatch());
    name = PersonRegister.NameCheck.UNKNOWN;
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
  void codesGoOnlyToTheCountriesOfTheSettings() {
    CodeSender sender =
        sender(world.budgets(), new MessageConfig.Limits(1_000, Set.of("TW", "US")));
    for (String abroad : List.of("+1 876 555 0123", "+371 2123 4567")) {
      assertThat(sent(sender, contact(abroad)))
          .as(abroad)
          .isEqualTo(new SendCodeOutcome.CountryRefused());
    }
    for (String here : List.of("+886 987 000 111", "+1 212 555 0123")) {
      assertThat(sent(sender, contact(here))).as(here).isInstanceOf(SendCodeOutcome.Sent.class);
    }
  }

  private static SendCodeOutcome sent(CodeSender sender, Contact contact) {
    return sender.send(
        CodeRequest.verification(contact.key(), contact, "", false), from("198.51.100.7"));
  }

  private static Contact contact(String text) {
    return PhoneNumber.of(text).orElseThrow().contact();
  }

  @Test
  void budgetsOfOthersDoNotMatter() {
    Budgets none = (_, _) -> Future.succeededFuture(Duration.ofSeconds(3));
    assertThat(send(service(none), account, phone))
        .isEqualTo(new SendCodeOutcome.TooMany(Duration.ofSeconds(3)));
    assertThat(received(phone)).isEmpty();
  }
}
