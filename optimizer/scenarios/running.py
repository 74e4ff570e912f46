"""A group and the processes of its members, as events go by."""

from optimizer.model import Group
from optimizer.settings import ClientSettings


class Running:
    """The group now, the name of each member's process, and how members are configured.

    A process keeps its name when its member comes back under another id.
    """

    def __init__(self, group: Group, client: ClientSettings) -> None:
        self.group, self.client = group, client
        self.names = [member.member_id for member in group.members]

    def name(self, member: str) -> str:
        """The process of the member of that member id or instance id."""
        pairs = [*zip(self.group.members, self.names, strict=True)]
        by_instance = {item.instance_id: name for item, name in pairs}
        return {item.member_id: name for item, name in pairs}.get(member) or by_instance[member]

    def become(self, after: Group) -> None:
        """The group is that one from now on: who is gone isn't in it, newcomers are at its end."""
        before, members = self.group.members, after.members
        stay = {*map(id, members)}
        if len(members) < len(before):
            pairs = zip(self.names, before, strict=True)
            self.names = [name for name, item in pairs if id(item) in stay]
        else:
            self.names += [member.member_id for member in members[len(before) :]]
        self.group = after
