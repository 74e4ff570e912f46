"""Why a request or a login failed, in a sentence, and whether to try again."""

from kafka import errors

from spark.sources.live.cluster import Cluster
from spark.sources.live.manager import Progress

TIMEOUTS = (errors.KafkaTimeoutError, errors.RequestTimedOutError)
CONNECT_TIMEOUT, TLS_FAILED = "Connection timed out", "Handshake failed: "  # kafka-python's words


class RequestError(Exception):
    """A broker gave no answer; `is_final`: it wouldn't give one to the same request again.

    `refuses_login`: nor would the other brokers, as it said that the credentials are wrong.
    """

    def __init__(self, sentence: str, is_final: bool, refuses_login: bool = False) -> None:
        super().__init__(sentence)
        self.is_final, self.refuses_login = is_final, refuses_login


def failure(error: BaseException, text: str, progress: Progress, cluster: Cluster) -> RequestError:
    """What became of a request; `said` is the error in one line, without secrets.

    A secret is shown to a broker once, and to none after one has refused it: any failure
    from then on until the broker lets us in may be its refusal, and many refusals lock an account.
    """
    maybe = f"security {cluster.security} or the port may be wrong"
    if isinstance(error, errors.UnsupportedSaslMechanismError):
        offered = ", ".join(progress.offered) or "none"
        sentence = f"it doesn't offer the mechanism {cluster.mechanism}; it offers {offered}"
        return RequestError(sentence, True)
    if isinstance(error, errors.IllegalSaslStateError):
        return RequestError(f"it takes no login: {maybe}", True)
    if progress.secret_sent and not progress.let_in:
        refused = isinstance(error, errors.SaslAuthenticationFailedError)
        return RequestError(_refused_login(error, text, cluster), True, refuses_login=refused)
    if isinstance(error, TIMEOUTS) or text == CONNECT_TIMEOUT:
        return RequestError(f"it did not answer within {cluster.timeout:g} s", False)
    if seems := _of_another_protocol(error, text, progress):
        return RequestError(f"{seems}: {maybe}", isinstance(error, errors.KafkaProtocolError))
    return RequestError(text, isinstance(error, errors.IncompatibleBrokerVersion))


def _of_another_protocol(error: BaseException, text: str, progress: Progress) -> str | None:
    """What looks as if the port were one for something else."""
    if text.startswith(TLS_FAILED):
        return None if "CERTIFICATE" in text.upper() else "it does not speak TLS"
    if not progress.sent:
        return None
    if isinstance(error, errors.KafkaProtocolError) and not progress.answered:
        return "it does not answer as a Kafka broker does"
    if isinstance(error, errors.KafkaConnectionError) and not progress.served:
        return "it hung up without an answer"
    return None


def _refused_login(error: BaseException, text: str, cluster: Cluster) -> str:
    who = f" of {cluster.username!r}" if cluster.username else ""
    login = f"the login{who} by {cluster.mechanism}"
    if isinstance(error, TIMEOUTS):
        return f"it did not answer {login} within {cluster.timeout:g} s"
    if isinstance(error, errors.SaslAuthenticationFailedError):
        return f"it refuses {login}: {text}"
    return f"it hung up during {login}, as a broker does when the secret is wrong"
