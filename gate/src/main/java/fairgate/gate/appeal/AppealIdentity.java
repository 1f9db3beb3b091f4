package fairgate.gate.appeal;

import fairgate.gate.appeal.Appeal.Filer;
import fairgate.gate.appeal.Appeal.Matter;
import fairgate.gate.appeal.AppealService.Person;
import fairgate.gate.appeal.DecisionLookup.Found.Known;
import fairgate.gate.risk.Subjects;
import fairgate.kernel.BanSubject;
import fairgate.kernel.Caller;
import fairgate.kernel.Decision;
import fairgate.kernel.DecisionCodec;
import fairgate.kernel.DeviceId;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import org.jspecify.annotations.Nullable;

/// Names the people that appeal by keyed hashes, and compares them with the people of the
/// decisions.
final class AppealIdentity {
  private final KeyRing keys;
  private final Subjects subjects;
  private final DecisionCodec codec;

  AppealIdentity(KeyRing keys) {
    this.keys = keys;
    this.subjects = new Subjects(keys);
    this.codec = new DecisionCodec(keys);
  }

  /// The keyed hashes that identify an appeal.
  record Keys(String matter, String open) {}

  /// The keyed hashes of an appeal against a decision by this person.
  Keys names(Known known, Person person) {
    Matter matter = known.matter();
    String who = name(matter, person);
    ProductId product = matter.product();
    Filer filer = filer(known, person);
    String other = filer.isRefused() ? "" : "|other|" + who;
    boolean isOneOfMany =
        isShared(matter) && filer.sameBrowser() == null && Boolean.TRUE.equals(filer.sameNetwork());
    String own = isOneOfMany ? "|address|" + who : other;
    String key =
        matter.ban() == 0
            ? "decision|" + matter.decision() + own
            : "ban|" + matter.ban() + '|' + who;
    String sale = product == null ? "" : product.value();
    String open = matter.code() + '|' + sale + '|' + who + (other.isEmpty() ? "" : "|other");
    return new Keys(
        keys.fingerprint("appeal-matter", key),
        keys.fingerprint("appeal-open", matter.ban() == 0 ? open : key));
  }

  /// The browser, else the account. An address can be that of many people, so those without both
  /// are told apart by their decisions.
  private String name(Matter matter, Person person) {
    String device = device(person);
    if (device != null) {
      return device;
    }
    String account = person.account();
    return account == null
        ? person.address().key() + '|' + matter.decision()
        : "account|" + account;
  }

  /// The browser as bans name it; null without a cookie of ours.
  @Nullable String device(Person person) {
    DeviceId device = person.device();
    return device == null ? null : BanSubject.deviceName(device, keys);
  }

  /// Whether many people can have the same decision: the limits send a cached refusal to everybody
  /// at the address.
  static boolean isShared(Matter matter) {
    return matter.code().equals(ErrorCode.RATE_LIMIT_EXCEEDED.name());
  }

  /// The person, compared with the one of the decision. Of a shared decision, everybody at its
  /// address is the refused person.
  Filer filer(Known known, Person person) {
    Decision decision = codec.decode(known.matter().decision()).orElse(null);
    StoredDecisions.Stored stored = known.stored();
    Boolean sameBrowser = null;
    Boolean sameNetwork = null;
    if (decision != null) {
      DeviceId device = person.device();
      String browser = Decision.tag(keys, device == null ? "" : device.value());
      sameBrowser = isSame(decision.browser(), browser);
      sameNetwork = isSame(decision.network(), Decision.tag(keys, person.address().key()));
      if (isShared(known.matter()) && Boolean.TRUE.equals(sameNetwork)) {
        sameBrowser = Boolean.TRUE.equals(sameBrowser) ? true : null;
      }
    } else if (stored != null) {
      Caller caller = new Caller(person.address(), "", person.device(), null, person.account());
      sameBrowser = isAbout(stored.origin(), caller);
      // Without a browser it came through another channel, such as LINE, whose address says
      // nothing.
      String network = sameBrowser == null ? null : stored.origin().network();
      sameNetwork = isSame(network == null ? "" : network, subjects.network(caller));
    }
    return new Filer(
        device(person),
        person.account(),
        keys.fingerprint("appeal-network", person.address().network().text()),
        sameBrowser,
        sameNetwork);
  }

  /// Whether a stored decision is about this browser or account; null when it was about neither.
  private @Nullable Boolean isAbout(StoredDecisions.Origin origin, Caller caller) {
    String account = caller.account();
    if (account != null && subjects.ofAccount(account).equals(origin.subject())) {
      return true;
    }
    String device = origin.device();
    return device == null ? null : device.equals(subjects.device(origin.sale(), caller));
  }

  private static @Nullable Boolean isSame(String refused, String appealing) {
    return refused.isEmpty() ? null : refused.equals(appealing);
  }

  /// The browser as pauses of the sale name it; empty where it does not matter.
  String deviceInSale(Matter matter, Person person) {
    DeviceId device = person.device();
    ProductId sale = matter.product();
    return device == null || sale == null || !AppealEffects.isPause(matter)
        ? ""
        : keys.fingerprint("device", sale.value() + '|' + device.value());
  }
}
